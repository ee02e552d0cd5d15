// Texts with elements in them.
import { Fragment, type ReactNode } from "react";
import { message, type TextKey } from "./texts.ts";

type Part = ReactNode | ((children: ReactNode[]) => ReactNode);

/** The same with elements: a value may be an element, and `<b>…</b>` becomes what the function `b` makes of its content. */
export function rich(key: TextKey, values: Readonly<Record<string, Part>>): ReactNode {
  const parts = message(key).format<ReactNode>(values as Record<string, ReactNode>); // functions are for tags
  return Array.isArray(parts)
    ? parts.map((part, at) => <Fragment key={at}>{part}</Fragment>)
    : (parts as ReactNode);
}
