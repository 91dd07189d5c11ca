import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { AskStreams, KnownClient, Positions } from '../serving/positions.ts';
import type { SdkToken } from '../serving/tokens/tokens.ts';
import { textOf } from './read-body.ts';

/** The maximum number of clients in memory, at about 180 bytes each. One token can use half of what the others leave. */
export type ClientLimits = { clients: number };
export const CLIENT_LIMITS: ClientLimits = { clients: 50_000 };

/** Times are in tenths of a second since the process started, because small integers are not allocated separately. */
const PER_SECOND = 10;
/** A client's row contains its last contact, and is written again after this long. */
const REFRESH = 1_000;
/** Clients that were silent for longer are forgotten, as in the view reach_current. */
const FORGOTTEN_AFTER = 3_000;
const FORGOTTEN_AFTER_INTERVALS = 10;
const DEFAULT_INTERVAL_S = 15;
const MAX_INTERVAL_S = 3_600;
/** A connection id is a UUID. Longer ones are hashed. */
const MAX_ID_LENGTH = 40;
/** Marks the id of a client that has no connection id. Several of them can have the same one. */
const BY_INSTANCE = '=';
const MAX_REQUEST_KEYS = 1_000;

/** There are many thousands of these, so apart from the id they contain only small integers. */
type Client = KnownClient & {
  readonly group: Group;
  readonly id: string;
  revision: number;
  seenAt: number;
  /** -1: never. */
  writtenAt: number;
  /** Open streams, and the seconds between two polls, in one number. */
  streamsAndInterval: number;
};

const STREAM = 4_096;
const streamsOf = ({ streamsAndInterval }: Client): number => Math.floor(streamsAndInterval / STREAM);
const intervalOf = ({ streamsAndInterval }: Client): number => streamsAndInterval % STREAM;

/** The clients of one token. */
type Group = {
  readonly token: SdkToken;
  projects: SdkToken['projects'];
  /** The epoch that the revisions belong to. */
  epoch: string;
  readonly clients: Map<string, Client>;
};

type Names = { application: string; instance: string };

/** A row to write. Without names, the row exists. */
export type Heard = Partial<Names> & {
  token: number;
  id: string;
  environment: string;
  projects: readonly string[] | null;
  epoch: string;
  revision: number;
  /** Whether the revision replaces a higher one, which a different process with the same instance id may have presented. */
  isExact: boolean;
  isStreaming: boolean;
  interval: number;
  /** Seconds since the last contact. */
  age: number;
};

export type Requests = { environment: string; revision: number; requests: number };

export type Batch = { heard: Heard[]; requests: Requests[]; undo: () => void };

export type Clients = Positions & {
  readonly size: number;
  /** Whether rows are to be written. */
  readonly isChanged: boolean;
  /** Whether a client was ignored since the last call, because there was no room. */
  takeIgnored: () => boolean;
  /** Returns changed clients, at most this many. */
  take: (most: number) => Batch;
  /** Marks rows that do not exist, so that they are written at the client's next contact. */
  forget: (rows: Pick<Heard, 'token' | 'id'>[]) => void;
  /** Forgets clients that have been silent for a long time, and keeps those with a stream. */
  sweep: () => void;
  /** Makes clients with streams reconnect. Set once the SDK application exists. */
  ask: AskStreams;
};

/** Whether the client is still known. A stream refers to it as long as it is open. */
const isKnown = (client: Client): boolean => client.group.clients.get(client.id) === client;

const half = (left: number): number => Math.ceil(left / 2);

/** The newest revision that each client of this process has presented. */
export function makeClients(
  limits: ClientLimits = CLIENT_LIMITS,
  now: () => number = () => Math.floor((performance.now() / 1_000) * PER_SECOND),
): Clients {
  const groups = new Map<number, Group>();
  const changed = new Set<Client>();
  const names = new Map<Client, Names>();
  let requests = new Map<string, Requests>();
  let size = 0;
  let isIgnoring = false;
  let ask: AskStreams = () => {};

  const groupOf = (token: SdkToken, epoch: string): Group => {
    let group = groups.get(token.id);
    if (!group) {
      group = { token, projects: token.projects, epoch, clients: new Map() };
      groups.set(token.id, group);
    }
    if (group.epoch !== epoch) {
      group.epoch = epoch;
      for (const client of group.clients.values()) client.revision = 0;
    }
    if (group.projects !== token.projects) {
      group.projects = token.projects;
      for (const client of group.clients.values()) changed.add(client);
    }
    return group;
  };

  const add = (group: Group, id: string, headers: IncomingHttpHeaders): Client | undefined => {
    const own = group.clients.size;
    if (own >= half(limits.clients - size + own)) {
      isIgnoring = true;
      return undefined;
    }
    const client: Client = {
      group,
      id,
      revision: 0,
      seenAt: now(),
      writtenAt: -1,
      streamsAndInterval: givenInterval(headers),
    };
    group.clients.set(id, client);
    size++;
    names.set(client, namesOf(headers));
    changed.add(client);
    return client;
  };

  const drop = (client: Client): void => {
    const { clients, token } = client.group;
    if (!clients.delete(client.id)) return;
    size--;
    changed.delete(client);
    names.delete(client);
    if (clients.size === 0) groups.delete(token.id);
  };

  const evaluated: Clients['evaluated'] = ({ environment, current: { revision } }) => {
    const key = `${revision} ${environment}`;
    const known = requests.get(key);
    if (known) known.requests++;
    else if (requests.size < MAX_REQUEST_KEYS) requests.set(key, { environment, revision, requests: 1 });
  };

  const hear: Clients['hear'] = (token, headers, scope, presented) => {
    const id = idOf(headers);
    if (id === undefined) {
      evaluated(scope);
      return undefined;
    }
    const { current } = scope;
    const group = groupOf(token, current.epoch);
    const client = group.clients.get(id) ?? add(group, id, headers);
    if (!client) return undefined;
    const time = now();
    client.seenAt = time;
    const revision = revisionOf(presented, scope.revision, current.revision);
    const isNew = id.startsWith(BY_INSTANCE) ? revision !== client.revision : revision > client.revision;
    if (isNew) client.revision = revision;
    if (isNew || time - client.writtenAt >= REFRESH) changed.add(client);
    return client;
  };

  const rowOf = (client: Client, time: number): Heard => {
    const { group, id, revision, seenAt } = client;
    return {
      ...names.get(client),
      token: group.token.id,
      id,
      environment: group.token.environment ?? '',
      projects: group.projects ?? null,
      epoch: group.epoch,
      revision,
      isExact: id.startsWith(BY_INSTANCE),
      isStreaming: streamsOf(client) > 0,
      interval: intervalOf(client),
      age: (time - seenAt) / PER_SECOND,
    };
  };

  return {
    hear,
    evaluated,
    opened: known => {
      const client = known as Client;
      client.streamsAndInterval += STREAM;
      if (isKnown(client)) changed.add(client);
    },
    closed: known => {
      const client = known as Client;
      client.streamsAndInterval -= STREAM;
      client.seenAt = now();
      if (isKnown(client)) changed.add(client);
    },
    stillCurrent: (known, { current }) => {
      const client = known as Client;
      if (!isKnown(client)) return;
      if (current.epoch !== client.group.epoch || current.revision <= client.revision) return;
      client.revision = current.revision;
      changed.add(client);
    },
    useStreams: given => {
      ask = given;
    },
    ask: (isDue, most) => ask(isDue, most),
    get size() {
      return size;
    },
    get isChanged() {
      return changed.size > 0;
    },
    takeIgnored: () => {
      const was = isIgnoring;
      isIgnoring = false;
      return was;
    },
    take: most => {
      const time = now();
      const taken: { client: Client; writtenAt: number }[] = [];
      const heard: Heard[] = [];
      for (const client of changed) {
        if (heard.length >= most) break;
        heard.push(rowOf(client, time));
        taken.push({ client, writtenAt: client.writtenAt });
        client.writtenAt = time;
        changed.delete(client);
      }
      const takenNames = taken.map(({ client }) => ({ client, own: names.get(client) }));
      for (const { client } of taken) names.delete(client);
      const takenRequests = requests;
      requests = new Map();
      return {
        heard,
        requests: [...takenRequests.values()],
        undo: () => {
          for (const { client, writtenAt } of taken) {
            client.writtenAt = writtenAt;
            if (isKnown(client)) changed.add(client);
          }
          for (const { client, own } of takenNames) if (own && changed.has(client)) names.set(client, own);
          for (const [key, value] of takenRequests) {
            const later = requests.get(key);
            if (later) later.requests += value.requests;
            else requests.set(key, value);
          }
        },
      };
    },
    forget: rows => {
      for (const { token, id } of rows) {
        const client = groups.get(token)?.clients.get(id);
        if (!client) continue;
        // The client's stream stays open, but the client is unknown until it reconnects.
        if (streamsOf(client) > 0) isIgnoring = true;
        drop(client);
      }
    },
    sweep: () => {
      const time = now();
      for (const { clients } of groups.values()) {
        for (const client of clients.values()) {
          if (streamsOf(client) > 0) {
            client.seenAt = time;
            if (time - client.writtenAt >= REFRESH) changed.add(client);
          } else if (time - client.seenAt > forgottenAfter(client)) drop(client);
        }
      }
    },
  };
}

const forgottenAfter = (client: Client): number =>
  Math.max(FORGOTTEN_AFTER, FORGOTTEN_AFTER_INTERVALS * intervalOf(client) * PER_SECOND);

/** A client that is up to date in its scope has every change up to the environment's revision. */
function revisionOf(presented: number | undefined, ofScope: number, ofEnvironment: number): number {
  if (presented === undefined || !Number.isFinite(presented)) return 0;
  return presented >= ofScope ? ofEnvironment : presented;
}

/** The id that an SDK chose when it started. Older SDKs have only the id of their instance. */
function idOf(headers: IncomingHttpHeaders): string | undefined {
  const own = headers['unleash-connection-id'] ?? headers['x-unleash-connection-id'];
  if (own !== undefined && own !== '') return bounded(String(own));
  const instance = headers['unleash-instanceid'];
  if (instance === undefined || instance === '') return undefined;
  return bounded(`${BY_INSTANCE}${applicationOf(headers)} ${instance}`, BY_INSTANCE);
}

const bounded = (id: string, prefix = ''): string =>
  id.length <= MAX_ID_LENGTH && !id.includes('\0') && (prefix !== '' || !id.startsWith(BY_INSTANCE))
    ? id
    : `${prefix}${hash('sha256', id, 'base64url').slice(0, 22)}`;

const applicationOf = (headers: IncomingHttpHeaders): string =>
  textOf(headers['unleash-appname']) ?? textOf(headers['x-unleash-appname']) ?? 'unknown';

const namesOf = (headers: IncomingHttpHeaders): Names => ({
  application: applicationOf(headers),
  instance: textOf(headers['unleash-instanceid']) ?? 'unknown',
});

function givenInterval({ 'unleash-interval': header }: IncomingHttpHeaders): number {
  const ms = Number(header);
  return ms >= 1 ? Math.min(MAX_INTERVAL_S, Math.ceil(ms / 1_000)) : DEFAULT_INTERVAL_S;
}
