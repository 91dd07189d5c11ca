import {
  AliasNode,
  IdentifierNode,
  type OperationNode,
  PostgresQueryCompiler,
  RawNode,
  type SelectionNode,
} from 'kysely';
import pg from 'pg';
import { addColumn, count, emptyShape, observe, propertyOf, type Shape } from './shape.ts';

/** By the key of a `sql` template: the shape of the rows it returned, or of its value if the builder selected it. */
export type Recording = Record<string, Shape>;

/** The text of a template, with `…` for each part that is filled in. It stays the same when the template moves. */
export function keyOf(fragments: readonly string[]): string {
  const key = keys.get(fragments) ?? fragments.join('…');
  keys.set(fragments, key);
  return key;
}

/** A template has one list of fragments, however often it is used. */
const keys = new WeakMap<readonly string[], string>();

let recording: Recording = {};

/** The shapes recorded since the last call. */
export function takeRecording(): Recording {
  const taken = recording;
  recording = {};
  return taken;
}

/** A template that a statement consists of, or one that the builder selects as a column. */
type Template = { key: string; column?: string };

type Result = { rows: Record<string, unknown>[]; fields: pg.FieldDef[] };

/** Enough to find a wrong annotation; the tests of large instances return thousands of rows. */
const MAX_ROWS = 100;

/** The kinds of values into which `platform/db/database.ts` parses the types we use. JSON can be anything. */
const { BOOL, FLOAT8, INT2, INT4, INT8, NUMERIC, TEXT, TIMESTAMPTZ, UUID, VARCHAR } = pg.types.builtins;
const KINDS: Record<number, string> = {
  [BOOL]: 'boolean',
  [INT2]: 'number',
  [INT4]: 'number',
  [INT8]: 'number',
  [FLOAT8]: 'number',
  [NUMERIC]: 'string',
  [TEXT]: 'string',
  [VARCHAR]: 'string',
  [UUID]: 'string',
  [TIMESTAMPTZ]: 'string',
};

/** By the text that PostgreSQL gets. */
const templatesOf = new Map<string, Template[]>();
/** By connection: the query of its open cursor. */
const cursors = new WeakMap<object, Template[]>();

startRecording();

/** Records every result that the driver returns in this process. */
function startRecording(): void {
  const compileQuery = PostgresQueryCompiler.prototype.compileQuery;
  PostgresQueryCompiler.prototype.compileQuery = function (node, queryId) {
    const compiled = compileQuery.call(this, node, queryId);
    rememberTemplates(compiled.sql, node);
    return compiled;
  };

  const query = pg.Client.prototype.query as (...call: unknown[]) => unknown;
  Object.assign(pg.Client.prototype, {
    query(this: object, ...call: unknown[]) {
      const result = query.apply(this, call);
      const text = typeof call[0] === 'string' ? call[0] : (call[0] as { text?: unknown }).text;
      if (!(result instanceof Promise) || typeof text !== 'string') return result;
      return result.then((found: Result) => {
        recordResult(this, text, found);
        return found;
      });
    },
  });
}

function rememberTemplates(text: string, node: OperationNode): void {
  const known = templatesOf.get(text);
  if (!known) {
    templatesOf.set(text, findTemplates(node));
  } else if (RawNode.is(node)) {
    const found = findTemplates(node).filter(({ key }) => !known.some(template => template.key === key));
    known.push(...found);
  }
}

function findTemplates(node: OperationNode): Template[] {
  if (RawNode.is(node)) return [{ key: keyOf(ofCursor(node).sqlFragments) }];
  const { selections = [], returning } = node as Selecting;
  return [...selections, ...(returning?.selections ?? [])].flatMap(({ selection }) =>
    AliasNode.is(selection) && RawNode.is(selection.node) && IdentifierNode.is(selection.alias)
      ? [{ key: keyOf(selection.node.sqlFragments), column: selection.alias.name }]
      : [],
  );
}

/** A cursor returns the rows of the query that it is declared for. */
function ofCursor(node: RawNode): RawNode {
  const [query] = node.parameters;
  return node.sqlFragments[0]?.startsWith('declare ') && query && RawNode.is(query) ? query : node;
}

type Selecting = OperationNode & {
  selections?: readonly SelectionNode[];
  returning?: { selections: readonly SelectionNode[] };
};

function recordResult(client: object, text: string, result: Result): void {
  let templates = templatesOf.get(text);
  if (text.startsWith('declare ') && templates) cursors.set(client, templates);
  if (text.startsWith('fetch ')) templates = cursors.get(client);
  for (const template of templates ?? []) recordTemplate(template, result);
  // Not a connection of Kysely, so it may have different parsers, and only the values show what it returns.
  if (!templates && result.rows?.length > 0) recordTemplate({ key: text }, { ...result, fields: [] });
}

function recordTemplate({ key, column }: Template, { rows, fields }: Result): void {
  recording[key] ??= emptyShape();
  const shape = recording[key];
  if (column === undefined) recordFields(shape, fields);
  for (const row of rows.slice(0, MAX_ROWS)) observe(shape, column === undefined ? row : row[column]);
}

/** Records the columns that PostgreSQL describes, even for a result without rows. */
function recordFields(shape: Shape, fields: pg.FieldDef[]): void {
  count(shape, 'object', 0);
  for (const { name, dataTypeID, tableID, columnID } of fields) {
    const property = propertyOf(shape, name);
    const kind = KINDS[dataTypeID];
    if (kind !== undefined) count(property, kind, 0);
    if (tableID !== 0) addColumn(property, `${tableID}.${columnID}`);
  }
}
