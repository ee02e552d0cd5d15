// A fault of the page itself must not leave people before an empty window.
import { Component, type ReactNode } from "react";
import { Failure } from "./states.tsx";

interface Props {
  /** Another view gets another try. */
  readonly view: string;
  readonly children: ReactNode;
}

interface State {
  readonly error: unknown;
  readonly view: string;
}

export class Boundary extends Component<Props, State> {
  override state: State = { error: null, view: this.props.view };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error };
  }

  static getDerivedStateFromProps({ view }: Props, state: State): State | null {
    return view === state.view ? null : { error: null, view };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return <Failure error={error} onRetry={() => this.setState({ error: null })} />;
  }
}
