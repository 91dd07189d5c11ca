import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ENVIRONMENT_PERMISSIONS, PROJECT_PERMISSIONS, ROOT_PERMISSIONS } from '../access/permissions.ts';
import { TOOLS } from '../mcp/registry.ts';
import { VARIABLES } from '../platform/variables.ts';
import { EVENT_TYPE_LIST } from '../record/events/event-types.ts';
import { listOperations } from './operations.ts';
import { formatOperationsPage } from './operations-page.ts';
import { KNOWN_DIFFERENCES } from './unleash/known-differences.ts';

// The parts of pages that are generated from the code. Each is between two comments on its page. `npm run docs` writes them.

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const code = (text: string): string => `\`${text}\``;

/** Returns a table with aligned columns, as the formatter writes it. */
function formatTable(head: string[], rows: string[][]): string {
  const widths = head.map((name, n) =>
    Math.max(3, ...[name, ...rows.map(row => row[n] ?? '')].map(countCharacters)),
  );
  const line = (row: string[]) =>
    `| ${row.map((cell, n) => cell + ' '.repeat(Number(widths[n]) - countCharacters(cell))).join(' | ')} |`;
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

const countCharacters = (text: string): number => [...text].length;

const formatEventTypes = (): string =>
  formatTable(
    ['Type', 'Label', 'Emitted today'],
    EVENT_TYPE_LIST.map(({ type, label, emitted }) => [code(type), label, emitted ? 'yes' : '']),
  );

function formatPermissions(): string {
  const parts: [string, readonly string[]][] = [
    ['on the instance', ROOT_PERMISSIONS],
    ['in a project', PROJECT_PERMISSIONS],
    ['in a project, for one environment or all', ENVIRONMENT_PERMISSIONS],
  ];
  const rows = parts.flatMap(([where, names]) => names.map(name => [code(name), where]));
  return formatTable(['Permission', 'Held'], rows);
}

const formatVariables = (): string =>
  formatTable(
    ['Variable', 'Default', 'Meaning'],
    Object.entries(VARIABLES).map(([name, { default: fallback, meaning }]) => [
      code(name),
      fallback.replace(/\S*[\d$=:/]\S*$|^(?:true|false|info)$/, code),
      meaning.replace(/\*:\*\.|X-Forwarded-For/, code),
    ]),
  );

const listOperationsWithSecrets = (): string =>
  listOperations()
    .filter(({ returnsSecret }) => returnsSecret)
    .map(({ method, path }) => `- ${code(`${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)}`)
    .join('\n');

const formatDifferences = (): string =>
  formatTable(
    ['Operations', 'Difference', 'Reason'],
    KNOWN_DIFFERENCES.map(({ operations, difference, reason }) => [
      operations === 'all' ? 'all' : operations.map(code).join(', '),
      difference,
      reason,
    ]),
  );

type Schema = {
  type?: string;
  enum?: string[];
  description?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

const formatType = ({
  type,
  enum: values,
  minimum,
  maximum = 0,
  maxLength,
  maxItems,
  items,
}: Schema): string => {
  if (values) return values.map(code).join(', ');
  if (type === 'array' && items) return `at most ${maxItems} × ${formatType(items)}`;
  if (type === 'integer' && maximum < Number.MAX_SAFE_INTEGER) return `integer, ${minimum} to ${maximum}`;
  return maxLength === undefined
    ? String(type)
    : `string, at most ${maxLength.toLocaleString('en')} characters`;
};

const listArgumentRows = ({ properties = {}, required = [] }: Schema, prefix = ''): string[][] =>
  Object.entries(properties).flatMap(([name, schema]) => [
    [code(prefix + name), formatType(schema), required.includes(name) ? 'yes' : '', schema.description ?? ''],
    ...(schema.items?.properties && Object.keys(schema.items.properties).length > 0
      ? listArgumentRows(schema.items, `${prefix}${name}[].`)
      : []),
  ]);

const EFFECTS = { reads: 'Changes nothing.', adds: 'Creates a flag.', changes: 'Changes flags.' };

const formatTools = (): string =>
  TOOLS.map(({ name, description, effect, input }) =>
    [
      `### ${code(name)}`,
      `${description} ${EFFECTS[effect]}`,
      formatTable(['Argument', 'Type', 'Required', 'Meaning'], listArgumentRows(input as Schema)),
    ].join('\n\n'),
  ).join('\n\n');

const PARTS: [string, string, () => string][] = [
  ['docs/reference/configuration.md', 'variables', formatVariables],
  ['docs/reference/events.md', 'event types', formatEventTypes],
  ['docs/reference/access.md', 'permissions', formatPermissions],
  ['docs/reference/idempotency.md', 'operations with a secret', listOperationsWithSecrets],
  ['docs/reference/compatibility.md', 'differences', formatDifferences],
  ['docs/reference/mcp.md', 'tools', formatTools],
];

test.each(PARTS)('%s has the generated part "%s"', async (page, name, generate) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const [start, end] = [`<!-- generated: ${name} -->\n\n`, '\n\n<!-- end -->'];

  expect(text).toContain(start);
  const textBefore = text.slice(0, text.indexOf(start) + start.length);
  const textAfter = text.slice(text.indexOf(end, textBefore.length));

  await expect(textBefore + generate() + textAfter).toMatchFileSnapshot(join(ROOT, page));
});

test('docs/reference/operations.md lists the operations of openapi.json', async () => {
  await expect(formatOperationsPage(listOperations())).toMatchFileSnapshot(
    join(ROOT, 'docs/reference/operations.md'),
  );
});
