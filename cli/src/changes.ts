/** The events of the changes that a command has made. */
export type Changes = {
  record: (headers: Headers) => void;
  events: () => string[];
  /** Whether the event of a change is unknown, because the response was lost and the server only confirmed the success later. */
  isUncertain: () => boolean;
};

export function makeChanges(): Changes {
  const events = new Map<string, string[]>();
  let isUncertain = false;
  return {
    record: headers => {
      const [revisions, ids] = [headers.get('Halyard-Revision'), headers.get('Halyard-Event')];
      if (headers.has('Idempotent-Replayed')) isUncertain = true;
      if (revisions === null || ids === null) return;
      // Keeps only the last change of each environment, because an SDK instance that has a revision has all earlier revisions.
      events.set(revisions.replace(/=\d+/g, ''), ids.split(', '));
    },
    events: () => [...new Set([...events.values()].flat())],
    isUncertain: () => isUncertain,
  };
}
