// What a resource's file gives to the pipeline.
import type { ListContract, RetrieveContract, Values } from "../../resources/lists.ts";
import type { ParameterError } from "../../resources/problems.ts";
import type { CompanyReader } from "../../store/store.ts";
import type { Content } from "../render.ts";

/** What an endpoint is asked: one company, validated values, and the day, which is an argument here too. */
export interface HandlerInput<V> {
  readonly company: CompanyReader;
  readonly values: V;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The current UTC day, `YYYY-MM-DD`. */
  readonly today: string;
}

export interface ListRoute {
  readonly contract: ListContract;
  readonly answer: (input: HandlerInput<never>) => Promise<Content>;
  /** What is wrong with values that are right each on its own. */
  readonly crossFieldErrors: (values: never, today: string) => readonly ParameterError[];
}

export interface RetrieveRoute {
  readonly contract: RetrieveContract;
  /** The object as JSON, or null where the company has none with this id. */
  readonly answer: (company: CompanyReader, id: string) => Promise<string | null>;
}

/** A list endpoint whose answer sees values of its contract's types. */
export function listRoute<C extends ListContract>(
  contract: C,
  answer: (input: HandlerInput<Values<C["parameters"]>>) => Promise<Content>,
  crossFieldErrors: (values: Values<C["parameters"]>, today: string) => readonly ParameterError[] = () => [],
): ListRoute {
  // The pipeline hands each route values that its own contract's schemas made.
  return { contract, answer, crossFieldErrors } as ListRoute;
}
