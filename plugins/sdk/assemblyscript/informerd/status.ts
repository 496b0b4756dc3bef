/** Status is what the host says. */
export enum Status {
  OK = 0,
  NotFound = -1,
  BadArgument = -2,
  Denied = -3,
  Quota = -4,
  Unavailable = -5,
  WrongPhase = -6,
}

/** statusText gives the word for a status, as it stands in the reference, "" for OK. */
export function statusText(status: Status): string {
  switch (status) {
    case Status.OK: return "";
    case Status.NotFound: return "not found";
    case Status.BadArgument: return "bad argument";
    case Status.Denied: return "denied";
    case Status.Quota: return "quota";
    case Status.Unavailable: return "unavailable";
    case Status.WrongPhase: return "wrong phase";
  }
  return "unknown status";
}

/** statusOf makes a status of what a function of the host gave, which is no mistake if it is not negative. @internal */
export function statusOf(result: i32): Status {
  return result < 0 ? <Status>result : Status.OK;
}

/** Answer is what the host gave, or why it did not. */
export class Answer {
  constructor(public readonly status: Status) {}

  /** ok is true if the host did what it was asked to. */
  get ok(): bool {
    return this.status == Status.OK;
  }

  /** error is empty, or the word for the status. */
  get error(): string {
    return statusText(this.status);
  }
}
