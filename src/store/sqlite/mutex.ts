// One writer at a time within this process: the connection that writes can hold only one transaction.

/** A place in the queue: `come` resolves when everybody before has called `done`. */
export interface Turn {
  readonly mustWait: boolean;
  readonly come: Promise<void>;
  done(): void;
}

export class Mutex {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  wait(): Turn {
    const come = this.#last;
    const mustWait = this.#waiting++ > 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    const done = () => {
      this.#waiting--;
      resolve();
    };
    return { mustWait, come, done };
  }
}
