// Exports of the shown data: a CSV file or a workbook, the command that gets it from the API, and a calendar feed.

import { Popover } from "@base-ui/react/popover";
import { useMutation } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { errorFrom } from "../../client/errors.ts";
import { asKnown, COMMAND_SERVER, SERVER } from "../address.ts";
import { useCompany, useImports, useServer } from "../data/queries.ts";
import { visibleWorkers } from "../session.ts";
import { t } from "../texts/texts.ts";
import { Failure } from "./states.tsx";

export type Cell = string | number | boolean | null;

export interface Sheet {
  /** The file's name in the viewer's language, without its ending. */
  readonly name: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** The contents of a calendar feed: everybody, unless workers or policies are given. */
interface CalendarFeed {
  readonly workers: readonly string[];
  readonly policies: readonly string[];
}

export interface ExportProps {
  /** Whether all shown data has loaded, so that a file lacks nothing. Until then, an invisible button keeps the place. */
  readonly isComplete?: boolean;
  /** Makes the sheet when needed. */
  readonly sheet: () => Sheet;
  /** The path and query of the same list in the API, which has every list as CSV, too. Null if the API has no such list. */
  readonly path: string | null;
  readonly calendar?: CalendarFeed | undefined;
}

export default function ExportMenu({ isComplete = true, sheet, path, calendar: feed }: ExportProps) {
  const id = useId();
  const { access, makesFeeds, knownOn } = useServer();
  // The API refuses the outcome of imports to keys that see only some people. The command would make a feed of everybody.
  const isLimited = useImports().isError;
  const runsCommands = visibleWorkers(access) === "company" && !isLimited;
  const calendar = makesFeeds || runsCommands ? feed : undefined;
  return (
    <Popover.Root>
      <span className="stepper" style={{ visibility: isComplete ? undefined : "hidden" }}>
        <Popover.Trigger>{t(calendar === undefined ? "export" : "export.orSubscribe")}</Popover.Trigger>
        <button type="button" aria-label={t("export.xlsx")} onClick={() => void downloadXlsx(sheet())}>
          <bdi dir="ltr">.xlsx</bdi>
        </button>
      </span>
      <Popover.Portal>
        <Popover.Positioner className="popup-layer" sideOffset={6} align="end" collisionPadding={12}>
          <Popover.Popup className="popup card export-card" aria-labelledby={id}>
            <Popover.Title className="hidden" id={id}>
              {t("export")}
            </Popover.Title>
            {calendar !== undefined && <CalendarPart {...calendar} />}
            <h3>{t("export.spreadsheet")}</h3>
            <button type="button" onClick={() => downloadCsv(sheet())}>
              {t("export.csv")}
            </button>
            {runsCommands && path !== null && (
              <>
                <p className="soft small">{t("export.script")}</p>
                <Command
                  label={t("export.command")}
                  text={`curl -H "x-api-key: $ROLLCALL_KEY" \\\n  -H "accept: text/csv" \\\n  "${COMMAND_SERVER}${knownOn === null ? path : asKnown(path, knownOn)}"`}
                />
              </>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** A feed's limit of ids. */
const MOST_IDS = 200;

function CalendarPart({ workers, policies }: CalendarFeed) {
  const { makesFeeds } = useServer();
  const isTooLong = workers.length > MOST_IDS;
  const feed = { workers: isTooLong ? [] : workers, policies };
  return (
    <>
      <h3>{t("calendar")}</h3>
      <p className="soft small">
        {t(makesFeeds ? "feed.create" : "feed.byCommand")} {t("feed.use")}
        {isTooLong && ` ${t("feed.everybody")}`}
      </p>
      {makesFeeds ? <NewFeed {...feed} /> : <FeedCommand {...feed} />}
    </>
  );
}

/** Makes the feed on the server, and shows its address. */
function NewFeed(feed: CalendarFeed) {
  const making = useMutation({ mutationFn: () => newFeed(feed), networkMode: "always" });
  if (making.isSuccess) {
    return (
      <div ref={takeFocus} tabIndex={-1}>
        <Command label={t("feed.address")} text={making.data} />
        <p className="small">{t("feed.copyNow")}</p>
      </div>
    );
  }
  if (making.isError) return <Failure error={making.error} onRetry={making.mutate} />;
  return (
    <button type="button" aria-disabled={making.isPending} onClick={() => making.mutate()}>
      {t(making.isPending ? "feed.creating" : "feed.createLink")}
    </button>
  );
}

/** Moves the focus here, because the focused button is gone. */
const takeFocus = (element: HTMLElement | null) => element?.focus();

async function newFeed(feed: CalendarFeed): Promise<string> {
  const body = JSON.stringify(feed);
  const response = await fetch(`${SERVER}/web/feeds`, { method: "POST", body, redirect: "manual" });
  const text = await response.text();
  if (response.status !== 201) throw errorFrom(response, text, Date.now());
  const { path } = JSON.parse(text) as { path: string }; // src/http/calendar/make-feed.ts
  return new URL(path, window.location.href).href;
}

function FeedCommand({ workers, policies }: CalendarFeed) {
  const { data: company } = useCompany();
  const options = [
    `--company ${company?.id ?? "…"}`,
    workers.length > 0 && `--workers ${workers.join(",")}`,
    policies.length > 0 && `--policies ${policies.join(",")}`,
    `--url ${COMMAND_SERVER}`,
  ];
  return (
    <Command
      label={t("feed.command")}
      text={["rollcall feeds create", ...options.filter((option) => option !== false)].join(" \\\n  ")}
    />
  );
}

function Command({ label, text }: { readonly label: string; readonly text: string }) {
  const [state, setState] = useState<"copied" | "refused" | null>(null);
  const code = useRef<HTMLElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
      setTimeout(() => setState(null), 2000);
    } catch {
      if (code.current !== null) window.getSelection()?.selectAllChildren(code.current);
      setState("refused");
    }
  };
  return (
    <div className="command">
      <code ref={code}>{text}</code>
      {navigator.clipboard !== undefined && (
        <button
          type="button"
          onClick={() => void copy()}
          aria-label={t("fact", { name: t("copy"), value: label })}
        >
          {t(state === "copied" ? "copied" : "copy")}
        </button>
      )}
      <span className={state === "refused" ? "small" : "hidden"} role="status">
        {state === "copied" && t("copied")}
        {state === "refused" && t("copy.refused")}
      </span>
    </div>
  );
}

/** Without this mark, Excel reads CSV in its old encoding and breaks "Núñez". */
const BYTE_ORDER_MARK = "\ufeff";

/** Texts that a spreadsheet would run as formulas. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

/** Quotes texts, and puts an apostrophe before formulas. */
function csvCell(cell: Cell): string {
  if (typeof cell !== "string") return String(cell ?? "");
  return `"${FORMULA.test(cell) ? "'" : ""}${cell.replaceAll('"', '""')}"`;
}

function downloadCsv({ name, header, rows }: Sheet): void {
  const lines = [header, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`);
  save(name, "csv", new Blob([BYTE_ORDER_MARK, ...lines], { type: "text/csv;charset=utf-8" }));
}

/** A number keeps its exact value. Its format shows it as on the page. */
const xlsxCell = (value: Exclude<Cell, null>) =>
  typeof value === "number" && !Number.isInteger(value) ? { value, format: "#,##0.00" } : { value };

/** No text becomes a formula. The writer's code is loaded when first needed. */
async function downloadXlsx({ name, header, rows }: Sheet): Promise<void> {
  const { default: writeXlsxFile } = await import("write-excel-file/universal");
  const bold = header.map((value) => ({ value, fontWeight: "bold" as const }));
  const cells = rows.map((row) => row.map((value) => (value === null ? null : xlsxCell(value))));
  save(name, "xlsx", await writeXlsxFile([bold, ...cells], { stickyRowsCount: 1 }).toBlob());
}

/** A busy browser may begin the download later, and needs the `blob:` address until then. */
const ADDRESS_KEPT_MS = 60_000;

/** Downloads a file. In its name, every character but letters and digits becomes a dash. */
export function save(name: string, ending: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${name.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-")}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), ADDRESS_KEPT_MS);
}
