import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  formatImportList,
  formatLintConfig,
  insertImportList,
  parseSource,
  RULES,
  readSources,
  type Source,
} from './imports.ts';

const rules = Object.keys(RULES) as (keyof typeof RULES)[];
const sources = readSources();
const readRoot = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

test.each(rules)('%s', rule => {
  expect(RULES[rule](sources)).toEqual([]);
});

const STORE = parseSource(
  'flags/tags/store.ts',
  [
    'export async function insertTag(tx: Tx, tag: Tag): Promise<void> {',
    'export async function deleteTags(\n  tx: Tx,\n): Promise<void> {',
    'export const markTag = async (db: Db) => {',
    'export async function lockTags(tx: Tx): Promise<Tag[]> {',
    'export async function findTag(db: Reader): Promise<Tag> {',
    'export const TAG = sql`name`;',
  ].join('\n'),
);

const imports = (path: string, text: string): Source => parseSource(path, text);

const PLANTED: [keyof typeof RULES, string, Source[]][] = [
  [
    'imports run from a higher layer to a lower one',
    'a value',
    [imports('people/users/create.ts', "import { x } from '../../flags/features/create.ts';")],
  ],
  [
    'imports run from a higher layer to a lower one',
    'a type',
    [imports('access/guard.ts', "import type { X } from '../record/change.ts';")],
  ],
  [
    'imports run from a higher layer to a lower one',
    'a dynamic import',
    [imports('record/events/x.ts', "  const { x } = await import('../../worker/worker.ts');")],
  ],
  [
    'imports run from a higher layer to a lower one',
    'an export from',
    [imports('platform/db/x.ts', "export * from '../../record/change.ts';")],
  ],
  ...['server/src/platform/actor.ts', 'server/src/app.ts', 'server/scripts/run.ts', 'bench/measure.ts'].map(
    (path): [keyof typeof RULES, string, Source[]] => [
      'imports run from a higher layer to a lower one',
      `${path} in the plane`,
      [imports('plane/counting/usage.ts', `import type { X } from '../../../${path}';`)],
    ],
  ),
  ...["import pg from 'pg';", "import type { Db } from '../../server/src/platform/db/database.ts';"].map(
    (text): [keyof typeof RULES, string, Source[]] => [
      'the edge imports only the plane',
      text,
      [imports('edge/app.ts', text)],
    ],
  ),
  [
    'imports run from a higher layer to a lower one',
    'the edge in the server',
    [imports('publishing/x.ts', "import { x } from '../../../edge/src/edge.ts';")],
  ],
  [
    'imports run from a higher layer to a lower one',
    'a higher layer of the plane in a lower one',
    [imports('plane/platform/http/x.ts', "import { x } from '../../serving/app.ts';")],
  ],
  [
    'imports run from a higher layer to a lower one',
    'an entry file',
    [imports('worker/worker.ts', "import {\n  a,\n  b,\n} from '../app.ts';")],
  ],
  [
    'modules do not import each other in a cycle',
    'a pair connected by a type',
    [
      imports('flags/tags/x.ts', "import { x } from '../links/store.ts';"),
      imports('flags/links/nested/y.ts', "import type { Y } from '../../tags/schema.ts';"),
    ],
  ],
  [
    'modules do not import each other in a cycle',
    'a cycle of three',
    [
      imports('flags/a/x.ts', "import { x } from '../b/x.ts';"),
      imports('flags/b/x.ts', "import { x } from '../c/x.ts';"),
      imports('flags/c/x.ts', "import { x } from '../a/x.ts';"),
    ],
  ],
  ...['insertTag', 'deleteTags', 'markTag', 'findTag, insertTag as add'].map(
    (names): [keyof typeof RULES, string, Source[]] => [
      'a write of a store is imported only inside its module',
      names,
      [STORE, imports('flags/links/store.ts', `import { ${names} } from '../tags/store.ts';`)],
    ],
  ),
  [
    'a write of a store is imported only inside its module',
    'a namespace',
    [STORE, imports('flags/links/x.ts', "import * as tags from '../tags/store.ts';")],
  ],
  [
    'only stores import a store in a different layer',
    'a route',
    [imports('flags/tags/routes.ts', "import { findUser } from '../../people/users/store.ts';")],
  ],
  [
    'only stores import a store in a different layer',
    'a job',
    [imports('worker/worker.ts', "import { findEvent } from '../record/events/store.ts';")],
  ],
  ...[
    '../../platform/http/output/errors.ts',
    '@halyard/plane/platform/http/schema.ts',
    'fastify',
    '../links/routes.ts',
  ].map((from): [keyof typeof RULES, string, Source[]] => [
    'a store imports no HTTP',
    from,
    [imports('flags/tags/store.ts', `import { x } from '${from}';`)],
  ]),
  ...['kysely', 'pg', 'pg-boss'].map((from): [keyof typeof RULES, string, Source[]] => [
    'the plane does not depend on the database',
    from,
    [imports('plane/serving/tokens/tokens.ts', `import { x } from '${from}';`)],
  ]),
  [
    'the plane does not depend on the database',
    'a type across two files',
    [
      imports(
        'plane/serving/state/serving.ts',
        "import { x } from '../../../../server/src/platform/http/x.ts';",
      ),
      imports('platform/http/x.ts', "import type { Db } from '../db/database.ts';"),
      imports('platform/db/database.ts', "import type { Kysely } from 'kysely';"),
    ],
  ],
];

test.each(PLANTED)('the rule "%s" catches %s', (rule, _case, planted) => {
  expect(RULES[rule](planted)).toHaveLength(1);
});

test('every rule has a planted violation', () => {
  expect(new Set(PLANTED.map(([rule]) => rule))).toEqual(new Set(rules));
});

test.each([
  ['a lower layer', 'flags/tags/create.ts', "import { x } from '../../people/users/read.ts';"],
  [
    'reads and SQL of a store in its layer',
    'flags/links/x.ts',
    "import { findTag, TAG } from '../tags/store.ts';",
  ],
  ['row locks of a store in its layer', 'flags/links/x.ts', "import { lockTags } from '../tags/store.ts';"],
  ['types of a store in its layer', 'flags/links/x.ts', "import { type insertTag } from '../tags/store.ts';"],
  ['writes of its own store', 'flags/tags/deep/x.ts', "import { insertTag } from '../store.ts';"],
  [
    'in a store, SQL of a store below',
    'delivery/x/store.ts',
    "import { TAG } from '../../flags/tags/store.ts';",
  ],
  ['the plane', 'platform/http/x.ts', "import { x } from '@halyard/plane/serving/app.ts';"],
  ['a package', 'flags/tags/x.ts', "import { sql } from 'kysely';"],
])('a module may import %s', (_case, path, text) => {
  for (const rule of rules) expect(RULES[rule]([STORE, parseSource(path, text)])).toEqual([]);
});

test('ARCHITECTURE.md shows the imports between the layers', () => {
  const text = readRoot('ARCHITECTURE.md');

  expect(text).toContain(formatImportList(sources));
  expect(insertImportList(text.replace(formatImportList(sources), 'old'), sources)).toBe(text);
});

test('biome.imports.json contains the rules about a single import', () => {
  expect(readRoot('biome.imports.json')).toBe(formatLintConfig());
});
