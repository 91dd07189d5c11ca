import { ellipsize } from '../../platform/text.ts';
import { EVENT_TYPES } from './event-types.ts';
import { escapeMarkdown } from './markdown.ts';

export type DescribedEvent = {
  type: string;
  createdBy: string;
  project: string | null;
  environment: string | null;
  featureName: string | null;
  data: unknown;
  preData: unknown;
};

const MAX_VALUE_LENGTH = 100;
const MAX_LISTED = 3;
const MAX_COMPARED_DEPTH = 50;

const UNKNOWN_TYPE = 'caused an event of type [{eventType}|unknown][ for flag {flag}][ in project {project}]';

// Slots that are more than a payload field of that name.
const SLOTS: Record<string, (event: DescribedEvent) => unknown> = {
  eventType: event => event.type,
  flag: event => event.featureName,
  project: event => event.project ?? fromPayload(event, 'project'),
  environment: event => event.environment ?? fromPayload(event, 'environment'),
  tag: event => tagOf(event.data) ?? tagOf(event.preData),
  changes: event => changedFields(event.data, event.preData),
  grantedUsers: event => granted(event, 'userIds'),
  grantedGroups: event => granted(event, 'groupIds'),
};

/** Says in a label and in one line of Markdown what happened; takes any payload and never throws. */
export function describe(event: DescribedEvent): { label: string; summary: string } {
  const types: Record<string, { label: string; text: string }> = EVENT_TYPES;
  const known = Object.hasOwn(types, event.type) ? types[event.type] : undefined;
  const { label, text } = known ?? { label: event.type, text: UNKNOWN_TYPE };

  return { label, summary: `${render(event.createdBy) ?? 'Someone'} ${fill(text, event)}` };
}

/** Plain text, or options of which the first that can be filled is taken. */
type Part = string | Option[];
type Option = { texts: string[]; slots: string[] };

/** `[a {b}|c]` in pieces, once for each text: a page has hundreds of events of a few types. */
const parsed = new Map<string, Part[]>();

function parse(text: string): Part[] {
  const known = parsed.get(text);
  if (known) return known;
  const parts = text
    .split(/\[([^\]]*)\]/)
    .map((piece, index) => (index % 2 === 0 ? piece : piece.split('|').map(parseOption)));
  parsed.set(text, parts);
  return parts;
}

function parseOption(option: string): Option {
  const pieces = option.split(/\{([\w.]+)\}/);
  return {
    texts: pieces.filter((_, index) => index % 2 === 0),
    slots: pieces.filter((_, index) => index % 2 === 1),
  };
}

function fill(text: string, event: DescribedEvent): string {
  let filled = '';
  for (const part of parse(text)) filled += typeof part === 'string' ? part : firstFilled(part, event);
  return filled;
}

function firstFilled(options: Option[], event: DescribedEvent): string {
  for (const option of options) {
    const filled = fillOption(option, event);
    if (filled !== undefined) return filled;
  }
  return '';
}

function fillOption({ texts, slots }: Option, event: DescribedEvent): string | undefined {
  let filled = texts[0] ?? '';
  for (const [index, slot] of slots.entries()) {
    const value = render(SLOTS[slot] ? SLOTS[slot](event) : fromPayload(event, slot));
    if (value === undefined) return undefined;
    filled += value + texts[index + 1];
  }
  return filled;
}

/** Follows `a.b` into the payload, new state first; `before.a` and `after.a` look at one state only. */
function fromPayload(event: DescribedEvent, slot: string): unknown {
  const path = slot.split('.');
  if (path[0] === 'before') return path.slice(1).reduce(own, event.preData);
  if (path[0] === 'after') return path.slice(1).reduce(own, event.data);
  return path.reduce(own, event.data) ?? path.reduce(own, event.preData);
}

function tagOf(payload: unknown): string | undefined {
  const type = own(payload, 'type');
  const value = own(payload, 'value');
  return typeof type === 'string' && typeof value === 'string' ? `${type}:${value}` : undefined;
}

/** The ids in a grant of the form `{ roles: [{ roleId, userIds, groupIds }] }`. */
function granted(event: DescribedEvent, field: 'userIds' | 'groupIds'): unknown[] {
  const roles = own(event.data, 'roles');
  const ids = Array.isArray(roles) ? roles.flatMap(role => own(role, field) ?? []) : [];
  return [...new Set(ids)];
}

function changedFields(data: unknown, preData: unknown): string[] {
  if (!isRecord(data) || !isRecord(preData)) return [];
  const fields = new Set([...Object.keys(preData), ...Object.keys(data)]);
  return [...fields].filter(field => !same(own(data, field), own(preData, field)));
}

// Not `isDeepStrictEqual`: two payloads nested 2,000 levels deep exhausted its stack.
function same(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true;
  if (!isRecord(a) || !isRecord(b) || depth > MAX_COMPARED_DEPTH) return false;
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every(key => same(a[key], own(b, key), depth + 1))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function own(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Shows a text, a number or a list of them; undefined if there is nothing to show. */
function render(value: unknown): string | undefined {
  if (!Array.isArray(value)) {
    const text = plain(value);
    return text === undefined ? undefined : `**${text}**`;
  }
  const shown = value
    .map(nameOf)
    .filter(text => text !== undefined)
    .map(text => `**${text}**`);
  if (shown.length === 0) return undefined;
  if (shown.length > MAX_LISTED) {
    return `${shown.slice(0, MAX_LISTED).join(', ')} and ${shown.length - MAX_LISTED} more`;
  }
  return [shown.slice(0, -1).join(', '), ...shown.slice(-1)].filter(part => part !== '').join(' and ');
}

function nameOf(item: unknown): string | undefined {
  return plain(own(item, 'name') ?? own(item, 'roleId') ?? own(item, 'id') ?? item);
}

function plain(value: unknown): string | undefined {
  if (Number.isFinite(value)) return escapeMarkdown(String(value));
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const short = ellipsize(text, MAX_VALUE_LENGTH);
  // Trimmed again because stars next to a space would not be bold.
  return escapeMarkdown(short).trim() || undefined;
}
