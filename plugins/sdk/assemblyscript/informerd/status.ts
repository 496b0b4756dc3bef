/** Status is the outcome of a host call. */
export enum Status {
  OK = 0,
  NotFound = -1,
  BadArgument = -2,
  Denied = -3,
  Quota = -4,
  Unavailable = -5,
  WrongPhase = -6,
}

/** statusText returns the text of a status in the reference, "" for OK. */
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

/** statusOf returns the status of a host function's result, OK unless it is negative. @internal */
export function statusOf(result: i32): Status {
  return result < 0 ? <Status>result : Status.OK;
}

/** Answer is the base of results that may be missing: its status is why. */
export class Answer {
  constructor(public readonly status: Status) {}

  /** ok reports whether the call succeeded. */
  get ok(): bool {
    return this.status == Status.OK;
  }

  /** error is the text of the status, empty if the call succeeded. */
  get error(): string {
    return statusText(this.status);
  }
}
