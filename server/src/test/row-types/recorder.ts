import {
  AliasNode,
  IdentifierNode,
  type OperationNode,
  PostgresQueryCompiler,
  RawNode,
  type SelectionNode,
} from 'kysely';
import pg from 'pg';
import { addColumn, count, emptyShape, getPropertyShape, observe, type Shape } from './shape.ts';

/**
 * Shapes by the key of their `sql` template: the shape of the rows that the template returned, or, for a template selected as a
 * column, of that column's values.
 */
export type Recording = Record<string, Shape>;

/**
 * Returns the text of a template, with `…` for each part that is filled in. It stays the same when the template moves in the
 * source.
 */
export function getTemplateKey(fragments: readonly string[]): string {
  const key = keys.get(fragments) ?? fragments.join('…');
  keys.set(fragments, key);
  return key;
}

/** Keys by fragment list. A template has a single list, no matter how often it is used. */
const keys = new WeakMap<readonly string[], string>();

let recording: Recording = {};

/** Returns the shapes recorded since the last call. */
export function takeRecording(): Recording {
  const lastRecording = recording;
  recording = {};
  return lastRecording;
}

/** A template that a statement consists of, or one that the builder selects as a column. */
type Template = { key: string; column?: string };

type Result = { rows: Record<string, unknown>[]; fields: pg.FieldDef[] };

/** The maximum number of rows to record. It is enough to find a wrong annotation, and some tests return thousands of rows. */
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

/** Templates by the statement text that PostgreSQL receives. */
const templatesByText = new Map<string, Template[]>();
/** The templates of each connection's open cursor. */
const cursorTemplates = new WeakMap<object, Template[]>();

startRecording();

/** Records every result that the driver returns in this process. */
function startRecording(): void {
  const compileQuery = PostgresQueryCompiler.prototype.compileQuery;
  PostgresQueryCompiler.prototype.compileQuery = function (node, queryId) {
    const compiledQuery = compileQuery.call(this, node, queryId);
    rememberTemplates(compiledQuery.sql, node);
    return compiledQuery;
  };

  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  Object.assign(pg.Client.prototype, {
    query(this: object, ...args: unknown[]) {
      const result = query.apply(this, args);
      const text = typeof args[0] === 'string' ? args[0] : (args[0] as { text?: unknown }).text;
      if (!(result instanceof Promise) || typeof text !== 'string') return result;
      return result.then((queryResult: Result) => {
        recordResult(this, text, queryResult);
        return queryResult;
      });
    },
  });
}

function rememberTemplates(text: string, node: OperationNode): void {
  const knownTemplates = templatesByText.get(text);
  if (!knownTemplates) {
    templatesByText.set(text, findTemplates(node));
  } else if (RawNode.is(node)) {
    const newTemplates = findTemplates(node).filter(
      ({ key }) => !knownTemplates.some(template => template.key === key),
    );
    knownTemplates.push(...newTemplates);
  }
}

function findTemplates(node: OperationNode): Template[] {
  if (RawNode.is(node)) return [{ key: getTemplateKey(resolveCursor(node).sqlFragments) }];
  const { selections = [], returning } = node as SelectingNode;
  return [...selections, ...(returning?.selections ?? [])].flatMap(({ selection }) =>
    AliasNode.is(selection) && RawNode.is(selection.node) && IdentifierNode.is(selection.alias)
      ? [{ key: getTemplateKey(selection.node.sqlFragments), column: selection.alias.name }]
      : [],
  );
}

/** Resolves a cursor to its query, because a cursor returns the rows of the query that it is declared for. */
function resolveCursor(node: RawNode): RawNode {
  const [query] = node.parameters;
  return node.sqlFragments[0]?.startsWith('declare ') && query && RawNode.is(query) ? query : node;
}

type SelectingNode = OperationNode & {
  selections?: readonly SelectionNode[];
  returning?: { selections: readonly SelectionNode[] };
};

function recordResult(client: object, text: string, result: Result): void {
  let templates = templatesByText.get(text);
  if (text.startsWith('declare ') && templates) cursorTemplates.set(client, templates);
  if (text.startsWith('fetch ')) templates = cursorTemplates.get(client);
  for (const template of templates ?? []) recordTemplate(template, result);
  // Without templates, this is not a Kysely connection. Its parsers may be different, so only the values show what it returns.
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
    const property = getPropertyShape(shape, name);
    const kind = KINDS[dataTypeID];
    if (kind !== undefined) count(property, kind, 0);
    if (tableID !== 0) addColumn(property, `${tableID}.${columnID}`);
  }
}
