import { BoundedMap } from '@halyard/plane/platform/bounded-map.ts';
import Mustache from 'mustache';
import { PlanError } from './provider.ts';

/**
 * We parse body templates with Mustache but render them ourselves, because Mustache's renderer has no limits: two nested sections over
 * a list of 1,000 items took 27 s and produced a string longer than V8 allows. Our renderer stops at a maximum number of steps and
 * characters. It also reads only own properties, so a template cannot call `constructor` or other inherited functions. We do not use
 * Mustache's template cache either, because nothing is ever removed from it.
 */
const MAX_STEPS = 100_000;
/** About twice the maximum length of an event that is encoded as JSON twice. */
const MAX_OUTPUT = 1_048_576;
const MAX_NESTING = 2;
/** At each whitespace character, the parser searches for the end of the tag again: 10,000 in one tag took 0.8 s. */
const LONG_WHITESPACE = /\s{201}/;
const MAX_CACHED_TEMPLATES = 100;

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'value'; path: Path; escaped: boolean }
  | { kind: 'section'; path: Path; inverted: boolean; nodes: Node[] };
/** The segments of a dotted name. Empty for `.`, which is the current item. */
type Path = string[];
type Token = [type: string, value: string, start: number, end: number, nodes?: Token[]];

class TemplateError extends PlanError {}

/** Returns why a template cannot be saved, or undefined if it can. Stored templates with a partial still render, without it. */
export const findTemplateProblem = (template: string): string | undefined =>
  findTemplateLimitProblem(template) ??
  (hasPartial(parse(template))
    ? 'must not contain partials ({{> name}}): there is nothing to include'
    : undefined);

const hasPartial = (tokens: Token[]): boolean =>
  tokens.some(([type, , , , nodes]) => type === '>' || (nodes !== undefined && hasPartial(nodes)));

function findTemplateLimitProblem(template: string): string | undefined {
  if (LONG_WHITESPACE.test(template)) return 'must not have more than 200 whitespace characters in a row';
  try {
    if (computeDepth(compile(template)) <= MAX_NESTING) return undefined;
    return `must not nest sections deeper than ${MAX_NESTING}`;
  } catch {
    return 'is not a Mustache template';
  }
}

/**
 * Renders a template. If it exceeds the limits on steps or length, throws an error whose message is meant for the template's
 * owner.
 */
export function renderTemplate(template: string, view: object): string {
  const writer = { output: '', stepsLeft: MAX_STEPS };
  render(compileCached(template), [view], writer);
  return writer.output;
}

const cache = new BoundedMap<string, Node[]>(MAX_CACHED_TEMPLATES);

function compileCached(template: string): Node[] {
  const problem = cache.has(template) ? undefined : findTemplateLimitProblem(template);
  if (problem !== undefined) throw new TemplateError(`The body template ${problem}.`);
  const nodes = cache.get(template) ?? compile(template);
  cache.set(template, nodes);
  return nodes;
}

const parse = (template: string): Token[] => new Mustache.Writer().parse(template) as unknown as Token[];

const compile = (template: string): Node[] => toNodes(parse(template));

/** Omits partials, because there is nothing to include, and comments and delimiters, because they print nothing. */
function toNodes(tokens: Token[]): Node[] {
  return tokens.flatMap(([type, value, , , nodes = []]): Node[] => {
    if (type === 'text') return [{ kind: 'text', text: value }];
    if (type === 'name' || type === '&')
      return [{ kind: 'value', path: parsePath(value), escaped: type === 'name' }];
    if (type !== '#' && type !== '^') return [];
    return [{ kind: 'section', path: parsePath(value), inverted: type === '^', nodes: toNodes(nodes) }];
  });
}

function parsePath(name: string): Path {
  if (name === '.') return [];
  return name.indexOf('.') > 0 ? name.split('.') : [name];
}

function computeDepth(nodes: Node[]): number {
  return nodes.reduce(
    (depth, node) => Math.max(depth, node.kind === 'section' ? 1 + computeDepth(node.nodes) : 0),
    0,
  );
}

type Writer = { output: string; stepsLeft: number };

function countStep(writer: Writer): void {
  if (writer.stepsLeft-- > 0) return;
  throw new TemplateError(
    `The body template needs more than ${MAX_STEPS.toLocaleString('en')} steps for this event. Nest fewer sections: each level multiplies the work.`,
  );
}

function write(writer: Writer, text: string): void {
  if (writer.output.length + text.length > MAX_OUTPUT) {
    throw new TemplateError(
      `The body template produces more than ${MAX_OUTPUT.toLocaleString('en')} characters for this event.`,
    );
  }
  writer.output += text;
}

/** `views` holds the root and the item of each enclosing section, innermost last. */
function render(nodes: Node[], views: unknown[], writer: Writer): void {
  for (const node of nodes) {
    countStep(writer);
    if (node.kind === 'text') write(writer, node.text);
    else if (node.kind === 'value') writeValue(node, views, writer);
    else renderSection(node, views, writer);
  }
}

function writeValue(
  { path, escaped }: Extract<Node, { kind: 'value' }>,
  views: unknown[],
  writer: Writer,
): void {
  const value = lookUp(path, views, writer);
  if (value === undefined || value === null) return;
  const text = formatValue(value, writer);
  if (text.length > MAX_OUTPUT) write(writer, text);
  write(writer, escaped && typeof value !== 'number' ? Mustache.escape(text) : text);
}

function renderSection(
  { path, inverted, nodes }: Extract<Node, { kind: 'section' }>,
  views: unknown[],
  writer: Writer,
): void {
  const value = lookUp(path, views, writer);
  const isEmpty = !value || (Array.isArray(value) && value.length === 0);
  if (inverted) {
    if (isEmpty) render(nodes, views, writer);
    return;
  }
  if (isEmpty) return;
  if (value === true) {
    render(nodes, views, writer);
    return;
  }
  for (const item of Array.isArray(value) ? value : [value]) {
    countStep(writer);
    render(nodes, [...views, item], writer);
  }
}

/** Looks up the path in the innermost item that has it. */
function lookUp(path: Path, views: unknown[], writer: Writer): unknown {
  if (path.length === 0) return views.at(-1);
  for (let index = views.length - 1; index >= 0; index--) {
    let value = views[index];
    let depth = 0;
    for (const name of path) {
      countStep(writer);
      if (!hasOwn(value, name, path.length > 1)) break;
      value = (value as Record<string, unknown>)[name];
      depth++;
    }
    if (depth === path.length) return value;
  }
  return undefined;
}

/** As in Mustache, a dotted name can also read own properties of a string, such as its length. */
function hasOwn(value: unknown, name: string, isDotted: boolean): boolean {
  if (typeof value === 'object' && value !== null) return Object.hasOwn(value, name);
  return isDotted && typeof value === 'string' && Object.hasOwn(Object(value), name);
}

/** Formats a value as JavaScript would. Every item of a list counts as a step. */
function formatValue(value: unknown, writer: Writer): string {
  countStep(writer);
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return typeof value === 'object' ? '[object Object]' : String(value);
  return value.map(item => (item === null || item === undefined ? '' : formatValue(item, writer))).join(',');
}
