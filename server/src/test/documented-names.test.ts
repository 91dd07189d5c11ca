import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ERROR_NAMES } from '@halyard/plane/platform/errors.ts';
import { expect, test } from 'vitest';
import { CLI_VARIABLES } from '../../../cli/src/variables.ts';
import { ENVIRONMENT_PERMISSIONS, PROJECT_PERMISSIONS, ROOT_PERMISSIONS } from '../access/permissions.ts';
import { CLI_VARIABLE_NAMES, VARIABLE_NAMES, VARIABLES } from '../platform/variables.ts';
import { EVENT_TYPE_NAMES } from '../record/events/event-types.ts';
import { listOperations } from './operations.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const pages = globSync(['README.md', 'SECURITY.md', 'CHANGELOG.md', 'docs/**/*.md'], { cwd: ROOT })
  // This page lists the operations of Unleash, which compatibility.test.ts checks.
  .filter(page => page !== 'docs/reference/compatibility.md')
  .toSorted()
  .map(page => ({ page, text: readFileSync(join(ROOT, page), 'utf8') }));

/** Finds the names in the pages that match a pattern but are not known, each with its page. */
const findUnknown = (pattern: RegExp, isKnown: (name: string) => boolean): string[] =>
  pages.flatMap(({ page, text }) =>
    [...text.matchAll(pattern)]
      .map(([, name = '']) => name)
      .filter(name => !isKnown(name))
      .map(name => `${page}: ${name}`),
  );

/** Variables that only edges read. */
const EDGE_VARIABLES = [
  'HALYARD_EDGE_ENROLMENT',
  'HALYARD_EDGE_ENROLMENT_FILE',
  'HALYARD_EDGE_UPSTREAM',
  'HALYARD_EDGE_NATS_URL',
  'HALYARD_EDGE_NATS_NKEY',
  'HALYARD_EDGE_NATS_NKEY_FILE',
];

test('every variable in the pages exists', () => {
  expect(
    findUnknown(/\b(HALYARD_[A-Z_]*[A-Z])\b/g, name =>
      [...VARIABLE_NAMES, ...CLI_VARIABLE_NAMES, ...EDGE_VARIABLES, 'HALYARD_MAX'].includes(name),
    ),
  ).toEqual([]);
});

test('the server knows the variables of the CLI', () => {
  expect(CLI_VARIABLE_NAMES).toEqual(Object.keys(CLI_VARIABLES));
});

const METRIC = /'(halyard_[a-z_]+)'/g;

const sources = globSync('{plane,server,edge}/src/**/*.ts', { cwd: ROOT })
  .filter(path => !path.endsWith('.test.ts'))
  .map(path => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n');

/** Channels on which servers listen, which look like metrics. */
const CHANNELS = ['halyard_deliveries', 'halyard_sdk'];
const metrics = [...new Set([...sources.matchAll(METRIC)].map(([, name = '']) => name))].filter(
  name => !CHANNELS.includes(name),
);

test('every metric in the pages exists', () => {
  expect(findUnknown(/`(halyard_[a-z_]+)/g, name => metrics.includes(name))).toEqual([]);
});

/** Lists the package's commands, which are the keys of a table in its script. */
const listCommands = (): string[] => {
  const script = readFileSync(join(ROOT, 'scripts/package/halyard.ts'), 'utf8');
  const [, table = ''] = /const COMMANDS[^{]*\{\n([\s\S]*?)\n\};/.exec(script) ?? [];
  return [...table.matchAll(/^ {2}'?([a-z-]+)'?: \{/gm)].map(([, name = '']) => `halyard ${name}`);
};

test.each([
  ['variable', Object.keys(VARIABLES)],
  ['metric', metrics],
  ['event type', EVENT_TYPE_NAMES],
  ['permission', [...ROOT_PERMISSIONS, ...PROJECT_PERMISSIONS, ...ENVIRONMENT_PERMISSIONS]],
  ['error name', ERROR_NAMES],
  ['command', listCommands()],
] as [string, readonly string[]][])('every %s is documented', (_kind, names) => {
  const text = pages.map(page => page.text).join('\n');

  expect(names.length).toBeGreaterThan(5);
  expect(names.filter(name => !new RegExp(`\`${name}[\`{ ]`).test(text))).toEqual([]);
});

test('every permission in the pages exists', () => {
  const names: string[] = [...ROOT_PERMISSIONS, ...PROJECT_PERMISSIONS, ...ENVIRONMENT_PERMISSIONS];
  const VERBS = 'CREATE|READ|UPDATE|DELETE|MOVE|PROJECT|APPROVE|APPLY|SKIP';

  expect(findUnknown(new RegExp(`\`((?:${VERBS})_[A-Z_]+)\``, 'g'), name => names.includes(name))).toEqual(
    [],
  );
});

test('every event type in the pages exists', () => {
  const SUBJECTS =
    'feature|features|project|environment|strategy|segment|tag|context-field|api-token|pat|user|group|role|addon-config|integration|service-account|setting|public-signup-token|health-finding|login';
  const PAST =
    'created|updated|deleted|added|removed|archived|revived|enabled|disabled|tagged|untagged|snoozed|unsnoozed|woken|tested|rotated|backfilled|repeated|redelivered|skipped|failing|linked|ended|blocked|exported|imported|favorited|unfavorited';

  // SDKs receive the last two types in a delta. They are not in the log.
  const names: string[] = [...EVENT_TYPE_NAMES, 'feature-removed', 'segment-removed'];

  expect(
    findUnknown(new RegExp(`\`((?:${SUBJECTS})-(?:[a-z]+-)*(?:${PAST}))\``, 'g'), name =>
      names.includes(name),
    ),
  ).toEqual([]);
});

test('every operation in the pages exists', () => {
  const toShape = (operation: string) => operation.replace(/:\w+|\{\w+\}/g, '{}').replace(/\?.*/, '');
  const shapes = new Set(listOperations().map(({ method, path }) => toShape(`${method} ${path}`)));

  expect(
    findUnknown(/`((?:GET|POST|PUT|PATCH|DELETE) \/(?:api|auth|invite)\/[^`…]*)`/g, name =>
      shapes.has(toShape(name)),
    ),
  ).toEqual([]);
});
