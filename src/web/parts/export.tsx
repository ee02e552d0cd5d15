// Taking the data elsewhere: what is shown as a CSV file, and the command that gets it from the API.
import { Popover } from "@base-ui/react/popover";
import { stringify } from "csv-stringify/browser/esm/sync";
import { useId, useState } from "react";

type Cell = string | number | boolean | null;

export interface Sheet {
  /** The file's name without its ending. */
  readonly name: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

interface Props {
  /** Makes the sheet when it is asked for. */
  readonly sheet: () => Sheet;
  /** The path and query of the same data in the API; every list there is also CSV. */
  readonly path: string;
}

export function Export({ sheet, path }: Props) {
  const id = useId();
  const url = `${window.location.origin}${path}`;
  return (
    <Popover.Root>
      <Popover.Trigger className="export">Export</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="popup-layer" sideOffset={6} align="end" collisionPadding={12}>
          <Popover.Popup className="popup card export-card" aria-labelledby={id}>
            <Popover.Title className="hidden" id={id}>
              Export
            </Popover.Title>
            <h3>Spreadsheet</h3>
            <button type="button" onClick={() => download(sheet())}>
              Download CSV
            </button>
            <p className="soft small">What you see here, with your filters. A script gets the data itself:</p>
            <Command
              label="Command that downloads the data"
              text={`curl -H "x-api-key: $ROLLCALL_KEY" \\\n  -H "accept: text/csv" \\\n  "${url}"`}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Command({ label, text }: { readonly label: string; readonly text: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(text);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), 2000);
  };
  return (
    <div className="command">
      <code>{text}</code>
      {navigator.clipboard !== undefined && (
        <button type="button" onClick={() => void copy()} aria-label={`Copy: ${label}`}>
          {isCopied ? "Copied" : "Copy"}
        </button>
      )}
      <span className="hidden" role="status">
        {isCopied && "Copied"}
      </span>
    </div>
  );
}

/** Hands the sheet to the browser as a file. Cells that a spreadsheet would take for formulas begin with a quote. */
function download({ name, header, rows }: Sheet): void {
  const text = stringify([header, ...rows], {
    escape_formulas: true,
    record_delimiter: "windows",
    quoted_match: /\r/, // else a lone CR would stay unquoted
  });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}
