/** The results for one kind, and the items that need attention. */
export type KindReport = {
  created: number;
  updated: number;
  unchanged: number;
  removed: number;
  /** Items that were stored with --accept although validation rejects them. */
  accepted: string[];
  rejected: string[];
  /** Items that changed both in Unleash and in Halyard, or that existed in Halyard before. */
  conflicts: string[];
  /** Items that changed or were deleted in Halyard since the last import, while Unleash still has what was imported. */
  keptInHalyard: string[];
  /** Items that are no longer in Unleash, but still in Halyard. */
  onlyInHalyard: string[];
  /** Parts of items that cannot be imported. */
  omitted: string[];
  /** Items that Halyard has no equivalent for. */
  unsupported: string[];
  /** Items that an API source does not list, which does not mean that Unleash no longer has them. */
  notListed: string[];
  /** Created items that need attention after the import. */
  followUps: number;
  /** What the user has to do after the import. */
  toDo: string[];
};

export type Report = Map<string, KindReport>;

export const createReport = (): KindReport => ({
  created: 0,
  updated: 0,
  unchanged: 0,
  removed: 0,
  accepted: [],
  rejected: [],
  conflicts: [],
  keptInHalyard: [],
  onlyInHalyard: [],
  omitted: [],
  unsupported: [],
  notListed: [],
  followUps: 0,
  toDo: [],
});

/** The maximum number of lines per list in the report. One more line says that the list was cut off. */
const MAX_LINES = 1_000;

export function addLine(list: string[], line: string): void {
  if (list.length < MAX_LINES) list.push(makePrintable(line));
  else if (list.length === MAX_LINES) list.push('… and more');
}

const MAX_LINE_LENGTH = 500;
/** Control characters and direction marks, which could hide or forge a line in a terminal. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Makes a line with names from Unleash safe to print. */
export function makePrintable(line: string): string {
  const truncatedLine = line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line;
  return truncatedLine.replace(
    INVISIBLE,
    character => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** Adds the results of a part of the import to the totals. */
export function addReport(report: KindReport, part: KindReport): void {
  for (const count of ['created', 'updated', 'unchanged', 'removed', 'followUps'] as const)
    report[count] += part[count];
  for (const [list] of REPORT_LISTS) for (const line of part[list]) addLine(report[list], line);
}

const REPORT_LISTS = [
  ['rejected', 'Rejected, and not imported'],
  ['accepted', 'Accepted despite validation errors'],
  ['conflicts', "Conflicts, kept as they are in Halyard (--overwrite replaces them with Unleash's version)"],
  [
    'keptInHalyard',
    "Changed in Halyard since the last import, and kept (--overwrite replaces them with Unleash's version)",
  ],
  ['onlyInHalyard', 'No longer in Unleash, but kept in Halyard'],
  ['notListed', "Not listed by Unleash's API, and kept in Halyard"],
  ['omitted', 'Not imported'],
  ['unsupported', 'Without an equivalent in Halyard, and not imported'],
  ['toDo', 'To do after the import'],
] as const satisfies [keyof KindReport, string][];

/** Formats the report as lines. */
export function formatReport(report: Report, plan: boolean): string[] {
  const rows = [...report].map(([kind, { created, updated, removed, unchanged }]) => [
    kind,
    ...[created, updated, removed, unchanged].map(count => count.toLocaleString('en')),
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
      .map((cell, index) =>
        index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
      )
      .join('  '),
  );
  const lists = REPORT_LISTS.flatMap(([list, title]) => {
    const entries = [...report].flatMap(([kind, kindReport]) =>
      kindReport[list].map(line => `  ${kind}: ${line}`),
    );
    return entries.length === 0 ? [] : ['', `${title}:`, ...entries];
  });
  return [...lines, ...lists];
}

/** Returns whether anything could not be imported as it is in Unleash. */
export const isIncomplete = (report: Report): boolean =>
  [...report.values()].some(kindReport => kindReport.rejected.length > 0 || kindReport.conflicts.length > 0);

/** Lists the conflicts of all kinds, each prefixed with its kind. */
export const listConflicts = (report: Report): string[] =>
  [...report].flatMap(([kind, { conflicts }]) => conflicts.map(conflict => `${kind}: ${conflict}`));

export const countWritten = (report: Report): number =>
  [...report.values()].reduce(
    (sum, kindReport) => sum + kindReport.created + kindReport.updated + kindReport.removed,
    0,
  );
