// Texts with elements in them.
import { Fragment, type ReactNode } from "react";
import { message, type TextKey } from "./texts.ts";

type Part = ReactNode | ((children: ReactNode[]) => ReactNode);

/** What `<b>` and `<when>` become. */
const TAGS: Readonly<Record<string, Part>> = {
  b: (text) => <strong>{text}</strong>,
  when: (text) => <span className="head-when">{text}</span>,
};

/** The same with elements: a value may be an element, or a function for the content of other tags. */
export function rich(key: TextKey, values: Readonly<Record<string, Part>>): ReactNode {
  const parts = message(key).format<ReactNode>({ ...TAGS, ...values } as Record<string, ReactNode>); // functions are for tags
  return Array.isArray(parts)
    ? parts.map((part, at) => <Fragment key={at}>{part}</Fragment>)
    : (parts as ReactNode);
}
