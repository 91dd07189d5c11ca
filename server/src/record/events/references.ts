import { type Payloads, readOwn, readPayload } from './payload.ts';

/** What a part of a sentence can refer to, in the API's words. */
export const REFERENCE_KINDS = [
  'feature',
  'project',
  'environment',
  'segment',
  'context-field',
  'strategy',
  'tag',
  'tag-type',
  'feature-type',
  'user',
  'group',
  'role',
  'service-account',
  'integration',
] as const;

export type Reference = { kind: (typeof REFERENCE_KINDS)[number]; id: string; project?: string };

type ProjectPayloads = Payloads & { project: string | null };

/** With `ids`, the id is the first of these fields that the payload has. Without `ids`, the name is the id. */
type Target = { kind: Reference['kind']; ids?: string[][]; project?: string[] };

const REFERENCES = {
  feature: { kind: 'feature' },
  clonedFeature: { kind: 'feature', project: ['clonedFrom', 'project'] },
  project: { kind: 'project' },
  environment: { kind: 'environment' },
  segment: { kind: 'segment', ids: [['id']] },
  contextField: { kind: 'context-field' },
  strategy: { kind: 'strategy' },
  tag: { kind: 'tag' },
  tagType: { kind: 'tag-type' },
  featureType: { kind: 'feature-type', ids: [['id']] },
  user: { kind: 'user', ids: [['userId'], ['id']] },
  // The payload's `id` can be that of a group or a signup link.
  member: { kind: 'user', ids: [['userId']] },
  group: { kind: 'group', ids: [['groupId'], ['id']] },
  listedUser: { kind: 'user' },
  listedGroup: { kind: 'group' },
  role: { kind: 'role', ids: [['id']] },
  account: { kind: 'service-account', ids: [['id']] },
  accountOfToken: { kind: 'service-account', ids: [['userId']] },
  integration: { kind: 'integration', ids: [['id']] },
} as const satisfies Record<string, Target>;

export type ReferenceName = keyof typeof REFERENCES;

/** Kinds that belong to a project, whose id is part of their URLs. */
const IN_PROJECT: readonly Reference['kind'][] = ['feature', 'segment', 'context-field'];

/** Names are at most 100 characters long, but a payload of unknown origin may have longer values. */
const MAX_ID_LENGTH = 200;

/** Returns what a value in an event's sentence refers to, or undefined if the event does not have the id. */
export function buildReference(
  event: ProjectPayloads,
  name: ReferenceName,
  value: unknown,
): Reference | undefined {
  const target: Target = REFERENCES[name];
  const id = toId(target.ids ? readFirst(event, target.ids) : (readOwn(value, 'id') ?? value));
  if (id === undefined) return undefined;
  const project = target.project ? toId(readPayload(event, target.project)) : event.project;
  return IN_PROJECT.includes(target.kind) && typeof project === 'string'
    ? { kind: target.kind, id, project }
    : { kind: target.kind, id };
}

/** Returns the actor of an event, if it is an account. */
export function buildActorReference(actor: {
  createdByUserId?: number | null;
  createdByKind?: string | null;
}): Reference | undefined {
  const { createdByKind: kind, createdByUserId: id } = actor;
  if (!id) return undefined;
  if (kind === 'service-account') return { kind, id: String(id) };
  return kind === 'user' || kind === 'token' || kind === 'agent'
    ? { kind: 'user', id: String(id) }
    : undefined;
}

function readFirst(event: Payloads, paths: string[][]): unknown {
  for (const path of paths) {
    const value = readPayload(event, path);
    if (value !== undefined) return value;
  }
  return undefined;
}

function toId(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID_LENGTH ? value : undefined;
}
