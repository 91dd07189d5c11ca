/** The results of one kind, and names of what needs attention. */
export type KindReport = {
  created: number;
  updated: number;
  unchanged: number;
  removed: number;
  /** Stored with --accept although our rules reject it. */
  accepted: string[];
  rejected: string[];
  /** Changed both there and here, or existed here before. */
  conflicts: string[];
  /** Changed or deleted here since the last import; Unleash still has what was imported. */
  keptHere: string[];
  /** Not at Unleash any more, and still here. */
  onlyHere: string[];
  leftBehind: string[];
};

export type Report = Map<string, KindReport>;

export const newReport = (): KindReport => ({
  created: 0,
  updated: 0,
  unchanged: 0,
  removed: 0,
  accepted: [],
  rejected: [],
  conflicts: [],
  keptHere: [],
  onlyHere: [],
  leftBehind: [],
});

/** A list of a report keeps this many lines; the last one says how many there were. */
const MOST_LINES = 1_000;

export function note(list: string[], line: string): void {
  if (list.length < MOST_LINES) list.push(line);
  else if (list.length === MOST_LINES) list.push('… and more');
}

const LISTS = [
  ['rejected', 'Rejected, and not imported'],
  ['accepted', 'Accepted although a rule rejects it'],
  ['conflicts', 'Conflicts, left as they are here'],
  ['keptHere', 'Changed here since the last import, and kept'],
  ['onlyHere', 'No longer in Unleash, and kept here'],
  ['leftBehind', 'Left behind'],
] as const satisfies [keyof KindReport, string][];

/** The report as lines of text. */
export function reportLines(report: Report, plan: boolean): string[] {
  const rows = [...report].map(([kind, one]) => [
    kind,
    ...[one.created, one.updated, one.removed, one.unchanged].map(count => count.toLocaleString('en')),
  ]);
  const table = [
    [
      '',
      plan ? 'to create' : 'created',
      plan ? 'to update' : 'updated',
      plan ? 'to remove' : 'removed',
      'unchanged',
    ],
    ...rows,
  ];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map(row => (row[column] ?? '').length)),
  );
  const lines = table.map(row =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  );
  const lists = LISTS.flatMap(([list, title]) => {
    const entries = [...report].flatMap(([kind, one]) => one[list].map(line => `  ${kind}: ${line}`));
    return entries.length === 0 ? [] : ['', `${title}:`, ...entries];
  });
  return [...lines, ...lists];
}

/** Whether something could not be imported as it is at Unleash. */
export const isIncomplete = (report: Report): boolean =>
  [...report.values()].some(one => one.rejected.length > 0 || one.conflicts.length > 0);

export const totalWritten = (report: Report): number =>
  [...report.values()].reduce((sum, one) => sum + one.created + one.updated + one.removed, 0);
