import Mustache from 'mustache';
import { BoundedMap } from '../../../../../plane/src/platform/bounded-map.ts';
import { PlanError } from './provider.ts';

/**
 * Body templates: Mustache parses them, we render them. Mustache's own renderer has no bound: two nested sections over a list of
 * 1,000 items took 27 s and ended in a string longer than V8 allows. This one counts every step and every character and stops at
 * a limit. It also looks at own properties only, so a template cannot call `constructor` or other inherited functions. Mustache's
 * template cache is not used either, because nothing is ever removed from it.
 */
const MAX_STEPS = 100_000;
/** The JSON of an event, encoded twice, is at most about half as long. */
const MAX_OUTPUT = 1_048_576;
const MAX_NESTING = 2;
/** The parser tries whitespace before the end of a tag at each of its characters: 10,000 in one tag took 0.8 s. */
const LONG_WHITESPACE = /\s{201}/;
const MAX_COMPILED = 100;

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'value'; path: Path; escaped: boolean }
  | { kind: 'section'; path: Path; inverted: boolean; nodes: Node[] };
/** Segments of a dotted name; empty for `.`, the current item. */
type Path = string[];
type Token = [type: string, value: string, start: number, end: number, nodes?: Token[]];

class TemplateError extends PlanError {}

/** Why a template cannot be saved; undefined if it can. Stored templates with a partial still render, without the partial. */
export const templateProblem = (template: string): string | undefined =>
  limitProblem(template) ??
  (hasPartial(parse(template))
    ? 'must not contain partials ({{> name}}): there is nothing to include'
    : undefined);

const hasPartial = (tokens: Token[]): boolean =>
  tokens.some(([type, , , , nodes]) => type === '>' || (nodes !== undefined && hasPartial(nodes)));

function limitProblem(template: string): string | undefined {
  if (LONG_WHITESPACE.test(template)) return 'must not have more than 200 whitespace characters in a row';
  try {
    if (depthOf(compile(template)) <= MAX_NESTING) return undefined;
    return `must not nest sections deeper than ${MAX_NESTING}`;
  } catch {
    return 'is not a Mustache template';
  }
}

/**
 * Renders within limits on work and length. If a template exceeds them, it throws an error with a message for the template's
 * owner.
 */
export function renderTemplate(template: string, view: object): string {
  const writer = { output: '', stepsLeft: MAX_STEPS };
  render(compiled(template), [view], writer);
  return writer.output;
}

const cache = new BoundedMap<string, Node[]>(MAX_COMPILED);

function compiled(template: string): Node[] {
  const problem = cache.has(template) ? undefined : limitProblem(template);
  if (problem !== undefined) throw new TemplateError(`The body template ${problem}.`);
  const nodes = cache.get(template) ?? compile(template);
  cache.set(template, nodes);
  return nodes;
}

const parse = (template: string): Token[] => new Mustache.Writer().parse(template) as unknown as Token[];

const compile = (template: string): Node[] => nodesOf(parse(template));

/** Partials have nothing to include, and comments and delimiters have nothing to show. */
function nodesOf(tokens: Token[]): Node[] {
  return tokens.flatMap(([type, value, , , nodes = []]): Node[] => {
    if (type === 'text') return [{ kind: 'text', text: value }];
    if (type === 'name' || type === '&') {
      return [{ kind: 'value', path: pathOf(value), escaped: type === 'name' }];
    }
    if (type !== '#' && type !== '^') return [];
    return [{ kind: 'section', path: pathOf(value), inverted: type === '^', nodes: nodesOf(nodes) }];
  });
}

function pathOf(name: string): Path {
  if (name === '.') return [];
  return name.indexOf('.') > 0 ? name.split('.') : [name];
}

function depthOf(nodes: Node[]): number {
  return nodes.reduce(
    (depth, node) => Math.max(depth, node.kind === 'section' ? 1 + depthOf(node.nodes) : 0),
    0,
  );
}

type Writer = { output: string; stepsLeft: number };

function step(writer: Writer): void {
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
    step(writer);
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
  const text = textOf(value, writer);
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
    step(writer);
    render(nodes, [...views, item], writer);
  }
}

/** Searches from the innermost item outwards for the first that has the name. */
function lookUp(path: Path, views: unknown[], writer: Writer): unknown {
  if (path.length === 0) return views.at(-1);
  for (let outwards = views.length - 1; outwards >= 0; outwards--) {
    let value = views[outwards];
    let depth = 0;
    for (const name of path) {
      step(writer);
      if (!hasOwn(value, name, path.length > 1)) break;
      value = (value as Record<string, unknown>)[name];
      depth++;
    }
    if (depth === path.length) return value;
  }
  return undefined;
}

/** As in Mustache, a dotted name can read the length of a string. */
function hasOwn(value: unknown, name: string, dotted: boolean): boolean {
  if (typeof value === 'object' && value !== null) return Object.hasOwn(value, name);
  return dotted && typeof value === 'string' && Object.hasOwn(Object(value), name);
}

/** As JavaScript would print it. Every item of a list counts. */
function textOf(value: unknown, writer: Writer): string {
  step(writer);
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return typeof value === 'object' ? '[object Object]' : String(value);
  return value.map(item => (item === null || item === undefined ? '' : textOf(item, writer))).join(',');
}
