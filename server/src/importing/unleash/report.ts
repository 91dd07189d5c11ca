/** The results for one kind, and the names of what needs attention. */
export type KindReport = {
  created: number;
  updated: number;
  unchanged: number;
  removed: number;
  /** Stored with --accept although validation rejects it. */
  accepted: string[];
  rejected: string[];
  /** Changed both in Unleash and in Halyard, or existed in Halyard before. */
  conflicts: string[];
  /** Changed or deleted in Halyard since the last import, while Unleash still has what was imported. */
  keptHere: string[];
  /** No longer in Unleash, but still in Halyard. */
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

/** The maximum number of lines of a list in the report. The last one says how many there were. */
const MAX_LINES = 1_000;

export function note(list: string[], line: string): void {
  if (list.length < MAX_LINES) list.push(printable(line));
  else if (list.length === MAX_LINES) list.push('… and more');
}

const MAX_CHARACTERS = 500;
/** Control characters and direction marks. In a terminal they could hide a line, or fake one. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** A line with names from Unleash, made safe to print. */
export function printable(line: string): string {
  const shown = line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line;
  return shown.replace(INVISIBLE, one => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

/** Adds the results of a part. */
export function addReport(report: KindReport, part: KindReport): void {
  for (const count of ['created', 'updated', 'unchanged', 'removed'] as const) report[count] += part[count];
  for (const [list] of LISTS) for (const line of part[list]) note(report[list], line);
}

const LISTS = [
  ['rejected', 'Rejected, and not imported'],
  ['accepted', 'Accepted although a rule rejects it'],
  ['conflicts', 'Conflicts, left as they are here'],
  ['keptHere', 'Changed here since the last import, and kept'],
  ['onlyHere', 'No longer in Unleash, and kept here'],
  ['leftBehind', 'Left behind'],
] as const satisfies [keyof KindReport, string][];

/** The report as lines. */
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

/** Whether anything could not be imported as it is in Unleash. */
export const isIncomplete = (report: Report): boolean =>
  [...report.values()].some(one => one.rejected.length > 0 || one.conflicts.length > 0);

export const totalWritten = (report: Report): number =>
  [...report.values()].reduce((sum, one) => sum + one.created + one.updated + one.removed, 0);
