// The host's statuses.
export const notFound = -1, badArgument = -2, denied = -3, quota = -4, unavailable = -5, wrongPhase = -6;

/** statuses are those that a test can set. */
export const statuses = {
  "not found": notFound, "bad argument": badArgument, denied, quota, unavailable, "wrong phase": wrongPhase,
};
