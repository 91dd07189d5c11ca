import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { KnownClient, Positions, ReconnectClients } from '../serving/positions.ts';
import type { SdkToken } from '../serving/tokens/tokens.ts';
import { readText } from './read-body.ts';

/**
 * The maximum number of clients in memory, at about 180 bytes each. One token can use up to half of what the others have left.
 */
export type ClientLimits = { clients: number };
export const CLIENT_LIMITS: ClientLimits = { clients: 50_000 };

/** Times are in tenths of a second since the process started, because small integers are not allocated separately. */
const TICKS_PER_SECOND = 10;
/** A client's row contains the time of its last contact, so it is rewritten after this long. */
const REFRESH_AFTER_TICKS = 1_000;
/** Clients that were silent for longer are forgotten, as in the view reach_current. */
const FORGOTTEN_AFTER_TICKS = 3_000;
const FORGOTTEN_AFTER_INTERVALS = 10;
const DEFAULT_INTERVAL_S = 15;
const MAX_INTERVAL_S = 3_600;
/** A connection id is a UUID. Longer ones are hashed. */
const MAX_ID_LENGTH = 40;
/** Marks the id of a client that sends no connection id. Several clients can share such an id. */
const INSTANCE_PREFIX = '=';
const MAX_REQUEST_KEYS = 1_000;

/** There are many thousands of these, so apart from the group and the id they contain only small integers. */
type Client = KnownClient & {
  readonly group: Group;
  readonly id: string;
  revision: number;
  seenAt: number;
  /** -1 if it was never written. */
  writtenAt: number;
  /** Open streams, and the seconds between two polls, in one number. */
  streamsAndInterval: number;
};

const STREAM_UNIT = 4_096;
const getStreamCount = ({ streamsAndInterval }: Client): number =>
  Math.floor(streamsAndInterval / STREAM_UNIT);
const getIntervalSeconds = ({ streamsAndInterval }: Client): number => streamsAndInterval % STREAM_UNIT;

/** One token's clients. */
type Group = {
  readonly token: SdkToken;
  projects: SdkToken['projects'];
  /** The epoch that the revisions belong to. */
  epoch: string;
  readonly clients: Map<string, Client>;
};

type Names = { application: string; instance: string };

/** A row to write. If the names are missing, the row already exists. */
export type ClientSighting = Partial<Names> & {
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

export type EvaluationCount = { environment: string; revision: number; requests: number };

export type Batch = { sightings: ClientSighting[]; requests: EvaluationCount[]; undo: () => void };

export type Clients = Positions & {
  readonly size: number;
  /** Whether there are rows to write. */
  readonly isChanged: boolean;
  /** Whether a client has been ignored since the last call because there was no room. */
  takeIgnored: () => boolean;
  /** Returns at most this many clients that changed, and all requests. `undo` marks them as changed again. */
  take: (max: number) => Batch;
  /** Drops the clients of rows that no longer exist, so that each client is added as a new one at its next contact. */
  forget: (rows: Pick<ClientSighting, 'token' | 'id'>[]) => void;
  /** Forgets clients that have been silent for a long time, and keeps those with a stream. */
  sweep: () => void;
  /** Makes clients with streams reconnect. Set once the SDK application exists. */
  reconnect: ReconnectClients;
};

/** An open stream refers to its client even after the client was forgotten. */
const isKnown = (client: Client): boolean => client.group.clients.get(client.id) === client;

const fairShare = (remaining: number): number => Math.ceil(remaining / 2);

/** Tracks the newest revision that each client of this process has presented. */
export function makeClients(
  limits: ClientLimits = CLIENT_LIMITS,
  now: () => number = () => Math.floor((performance.now() / 1_000) * TICKS_PER_SECOND),
): Clients {
  const groups = new Map<number, Group>();
  const changed = new Set<Client>();
  const names = new Map<Client, Names>();
  let requests = new Map<string, EvaluationCount>();
  let size = 0;
  let isIgnoring = false;
  let reconnect: ReconnectClients = () => {};

  const getOrCreateGroup = (token: SdkToken, epoch: string): Group => {
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
    const ownClients = group.clients.size;
    if (ownClients >= fairShare(limits.clients - size + ownClients)) {
      isIgnoring = true;
      return undefined;
    }
    const client: Client = {
      group,
      id,
      revision: 0,
      seenAt: now(),
      writtenAt: -1,
      streamsAndInterval: readInterval(headers),
    };
    group.clients.set(id, client);
    size++;
    names.set(client, readNames(headers));
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

  const countEvaluation: Clients['countEvaluation'] = ({ environment, current: { revision } }) => {
    const key = `${revision} ${environment}`;
    const existing = requests.get(key);
    if (existing) existing.requests++;
    else if (requests.size < MAX_REQUEST_KEYS) requests.set(key, { environment, revision, requests: 1 });
  };

  const recordContact: Clients['recordContact'] = (token, headers, scope, presentedRevision) => {
    const id = readClientId(headers);
    if (id === undefined) {
      countEvaluation(scope);
      return undefined;
    }
    const { current } = scope;
    const group = getOrCreateGroup(token, current.epoch);
    const client = group.clients.get(id) ?? add(group, id, headers);
    if (!client) return undefined;
    const time = now();
    client.seenAt = time;
    const revision = computeRevision(presentedRevision, scope.revision, current.revision);
    const isNew = id.startsWith(INSTANCE_PREFIX) ? revision !== client.revision : revision > client.revision;
    if (isNew) client.revision = revision;
    if (isNew || time - client.writtenAt >= REFRESH_AFTER_TICKS) changed.add(client);
    return client;
  };

  const toSighting = (client: Client, time: number): ClientSighting => {
    const { group, id, revision, seenAt } = client;
    return {
      ...names.get(client),
      token: group.token.id,
      id,
      environment: group.token.environment ?? '',
      projects: group.projects ?? null,
      epoch: group.epoch,
      revision,
      isExact: id.startsWith(INSTANCE_PREFIX),
      isStreaming: getStreamCount(client) > 0,
      interval: getIntervalSeconds(client),
      age: (time - seenAt) / TICKS_PER_SECOND,
    };
  };

  return {
    recordContact,
    countEvaluation,
    streamOpened: knownClient => {
      const client = knownClient as Client;
      client.streamsAndInterval += STREAM_UNIT;
      if (isKnown(client)) changed.add(client);
    },
    streamClosed: knownClient => {
      const client = knownClient as Client;
      client.streamsAndInterval -= STREAM_UNIT;
      client.seenAt = now();
      if (isKnown(client)) changed.add(client);
    },
    confirmCurrent: (knownClient, { current }) => {
      const client = knownClient as Client;
      if (!isKnown(client)) return;
      if (current.epoch !== client.group.epoch || current.revision <= client.revision) return;
      client.revision = current.revision;
      changed.add(client);
    },
    setReconnectClients: reconnectClients => {
      reconnect = reconnectClients;
    },
    reconnect: (isDue, max) => reconnect(isDue, max),
    get size() {
      return size;
    },
    get isChanged() {
      return changed.size > 0;
    },
    takeIgnored: () => {
      const wasIgnoring = isIgnoring;
      isIgnoring = false;
      return wasIgnoring;
    },
    take: max => {
      const time = now();
      const takenClients: { client: Client; writtenAt: number }[] = [];
      const sightings: ClientSighting[] = [];
      for (const client of changed) {
        if (sightings.length >= max) break;
        sightings.push(toSighting(client, time));
        takenClients.push({ client, writtenAt: client.writtenAt });
        client.writtenAt = time;
        changed.delete(client);
      }
      const takenNames = takenClients.map(({ client }) => ({ client, clientNames: names.get(client) }));
      for (const { client } of takenClients) names.delete(client);
      const takenRequests = requests;
      requests = new Map();
      return {
        sightings,
        requests: [...takenRequests.values()],
        undo: () => {
          for (const { client, writtenAt } of takenClients) {
            client.writtenAt = writtenAt;
            if (isKnown(client)) changed.add(client);
          }
          for (const { client, clientNames } of takenNames)
            if (clientNames && changed.has(client)) names.set(client, clientNames);
          for (const [key, value] of takenRequests) {
            const laterRequests = requests.get(key);
            if (laterRequests) laterRequests.requests += value.requests;
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
        if (getStreamCount(client) > 0) isIgnoring = true;
        drop(client);
      }
    },
    sweep: () => {
      const time = now();
      for (const { clients } of groups.values()) {
        for (const client of clients.values()) {
          if (getStreamCount(client) > 0) {
            client.seenAt = time;
            if (time - client.writtenAt >= REFRESH_AFTER_TICKS) changed.add(client);
          } else if (time - client.seenAt > silenceLimitTicks(client)) drop(client);
        }
      }
    },
  };
}

const silenceLimitTicks = (client: Client): number =>
  Math.max(FORGOTTEN_AFTER_TICKS, FORGOTTEN_AFTER_INTERVALS * getIntervalSeconds(client) * TICKS_PER_SECOND);

/** A client that is up to date in its scope has every change up to the environment's revision. */
function computeRevision(
  presentedRevision: number | undefined,
  scopeRevision: number,
  environmentRevision: number,
): number {
  if (presentedRevision === undefined || !Number.isFinite(presentedRevision)) return 0;
  return presentedRevision >= scopeRevision ? environmentRevision : presentedRevision;
}

/** Returns the id that an SDK chose when it started. Older SDKs have only the id of their instance. */
function readClientId(headers: IncomingHttpHeaders): string | undefined {
  const connectionId = headers['unleash-connection-id'] ?? headers['x-unleash-connection-id'];
  if (connectionId !== undefined && connectionId !== '') return shortenId(String(connectionId));
  const instance = headers['unleash-instanceid'];
  if (instance === undefined || instance === '') return undefined;
  return shortenId(`${INSTANCE_PREFIX}${readApplication(headers)} ${instance}`, INSTANCE_PREFIX);
}

const shortenId = (id: string, prefix = ''): string =>
  id.length <= MAX_ID_LENGTH && !id.includes('\0') && (prefix !== '' || !id.startsWith(INSTANCE_PREFIX))
    ? id
    : `${prefix}${hash('sha256', id, 'base64url').slice(0, 22)}`;

const readApplication = (headers: IncomingHttpHeaders): string =>
  readText(headers['unleash-appname']) ?? readText(headers['x-unleash-appname']) ?? 'unknown';

const readNames = (headers: IncomingHttpHeaders): Names => ({
  application: readApplication(headers),
  instance: readText(headers['unleash-instanceid']) ?? 'unknown',
});

function readInterval({ 'unleash-interval': header }: IncomingHttpHeaders): number {
  const ms = Number(header);
  return ms >= 1 ? Math.min(MAX_INTERVAL_S, Math.ceil(ms / 1_000)) : DEFAULT_INTERVAL_S;
}
