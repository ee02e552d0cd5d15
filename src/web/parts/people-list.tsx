// People in a list, of which only those in sight are in the document.
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import type { Worker } from "../../client/index.ts";
import { departmentOf, STATUS_NAME, underName, workplaceOf } from "../data/people.ts";
import { useServer } from "../data/queries.ts";
import { useWhole } from "./printing.ts";

const ROW_PX = 64;

interface ListProps {
  readonly label: string;
  readonly people: readonly Worker[];
}

export function PeopleList({ label, people }: ListProps) {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: people.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => people[index]!.id,
  });
  const whole = useWhole(people.length);
  const shown =
    whole?.map((index) => ({ key: people[index]!.id, index, start: top + index * ROW_PX })) ??
    virtual.getVirtualItems();
  return (
    <ul ref={list} className="virtual" aria-label={label} style={{ height: virtual.getTotalSize() }}>
      {shown.map(({ key, index, start }) => (
        <li
          key={key}
          aria-posinset={index + 1}
          aria-setsize={people.length}
          style={{ height: ROW_PX, transform: `translateY(${start - top}px)` }}
        >
          <PersonRow worker={people[index]!} />
        </li>
      ))}
    </ul>
  );
}

function PersonRow({ worker }: { readonly worker: Worker }) {
  return (
    <Link href={`/people/${worker.id}`} className="person-row">
      <Initials worker={worker} />
      <span className="person-name">
        <bdi className="clip">{worker.displayName}</bdi>
        <bdi className="soft small clip">{underName(worker)}</bdi>
      </span>
      <span className="soft small clip wide-only">
        {hasPlace(worker) ? departmentOf(worker) : (worker.workEmail ?? worker.email)}
      </span>
      <span className="soft small clip wide-only">{workplaceOf(worker) ?? zoneName(worker.timeZone)}</span>
      <Status status={worker.status} />
    </Link>
  );
}

/** Whether the company's data says where people belong; if not, their address is of more use. */
const hasPlace = ({ department, primaryWorkplace, managerId }: Worker) =>
  [department, primaryWorkplace, managerId].some((value) => value !== null);

/** A name that leads to the person's page, for viewers who may see it. */
export function PersonName({ worker }: { readonly worker: Pick<Worker, "id" | "displayName"> }) {
  const { access } = useServer();
  const name = <bdi className="clip">{worker.displayName}</bdi>;
  return access === "away" ? <strong>{name}</strong> : <Link href={`/people/${worker.id}`}>{name}</Link>;
}

export function Status({ status }: Pick<Worker, "status">) {
  return <span className={`pill status-${status}`}>{STATUS_NAME[status]}</span>;
}

/** The first letters of the first and the last word of the name as it is shown. */
export function Initials({ worker }: { readonly worker: Worker }) {
  const words = worker.displayName.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const ends = words.length > 1 ? [words[0]!, words.at(-1)!] : words;
  const letters = ends.map((word) => [...word][0]);
  return (
    <span className="initials" aria-hidden="true">
      {letters.join("").toUpperCase()}
    </span>
  );
}

/** `Europe/Berlin` for people: `Berlin`. */
export function zoneName(zone: string | null): string {
  return zone === null ? "" : (zone.split("/").at(-1) ?? zone).replaceAll("_", " ");
}
