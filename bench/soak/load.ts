import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { count, formatCounts } from '../campaign.ts';
import { type Kind as CallerKind, describeOutcome, startCallers } from '../load.ts';
import { type Response, send } from '../requests.ts';
import { ADMIN_TOKEN } from '../server.ts';
import { ENVIRONMENT, FLAGS, getFlagName, makeImport, PROJECTS } from './data.ts';

export type Load = {
  summary: () => string;
  beginFault: () => void;
  /** Called when the database is reachable again. Waits until all frequent kinds of requests have succeeded, and returns the duration. */
  endFault: (withinMs: number) => Promise<number>;
  stop: () => Promise<void>;
};

/** The server sends the status of a streamed response before it has read all data, so a fault can only cut the response off. */
type Kind = CallerKind & { isStreamed?: boolean };

const PAUSED_READERS = 4;
const READER_PAUSE_MS = 20_000;
const NEXT_READER_AFTER_MS = 5_000;
/** Requests in flight at the end may take this long, because a fault can delay them until they time out. */
const STOP_TIMEOUT_MS = 60_000;

function buildKinds(urls: string[], random: () => number): Kind[] {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const pickNumber = () => Math.floor(random() * FLAGS);
  const pickFlag = () => {
    const project = pick(PROJECTS);
    return { project, name: getFlagName(project, pickNumber()) };
  };
  const admin = (method: string, path: string, body?: object) =>
    send(pick(urls), method, `/api/admin/${path}`, body);
  const searches = [
    () => '',
    () => '?limit=200&offset=400',
    () => `?project=IS:${pick(PROJECTS)}`,
    () => '?type=IS_ANY_OF:feature-created,feature-updated',
    () => `?query=flag-${pickNumber()}`,
    () => `?feature=IS:${pickFlag().name}`,
  ];
  let cloneCount = 0;
  const existingClones: { project: string; name: string }[] = [];
  const clone = async () => {
    const { project, name } = pickFlag();
    const copy = `${project}.clone-${++cloneCount}`;
    const response = await admin('POST', `projects/${project}/features/${name}/clone`, { name: copy });
    if (response.status === 200) existingClones.push({ project, name: copy });
    return response;
  };
  /** Archives and deletes a clone, so that responses do not grow during the run. */
  const removeClone = async () => {
    const { project, name } = existingClones.shift() ?? { project: PROJECTS[0], name: 'none' };
    const archiveResponse = await admin('DELETE', `projects/${project}/features/${name}`);
    const isArchived = archiveResponse.status >= 200 && archiveResponse.status < 300;
    return isArchived ? await admin('DELETE', `archive/${name}`) : archiveResponse;
  };
  const toggle = () => {
    const { project, name } = pickFlag();
    const path = `projects/${project}/features/${name}/environments/${ENVIRONMENT}`;
    return admin('POST', `${path}/${random() < 0.5 ? 'on' : 'off'}`, {});
  };
  const importFlags = () =>
    admin(
      'POST',
      'features-batch/import',
      makeImport(pick(PROJECTS), Math.floor(random() * (FLAGS - 50)), 50),
    );
  const update = () => {
    const name = pick(PROJECTS);
    return admin('PUT', `projects/${name}`, { name, description: `Updated at ${Date.now()}` });
  };
  const kind = (
    name: string,
    callers: number,
    pauseMs: number,
    expected: number[],
    sendRequest: () => Promise<Response>,
    isStreamed = false,
  ): Kind => ({ name, callers, pauseMs, expected, send: sendRequest, isStreamed });
  return [
    kind('search', 4, 200, [200], () => admin('GET', `search/events${pick(searches)()}`)),
    kind('toggle', 4, 200, [200, 409], toggle),
    kind('clone', 2, 1_000, [200, 409], clone),
    kind('remove clones', 2, 500, [200, 202, 404], removeClone),
    kind('import', 1, 10_000, [200, 409], importFlags),
    kind('report', 2, 2_000, [200], () => admin('GET', `projects/${pick(PROJECTS)}/health-report`), true),
    kind('list', 1, 2_000, [200], () => admin('GET', `projects/${pick(PROJECTS)}/features`), true),
    kind('project update', 1, 20_000, [200], update),
  ];
}

/** Starts callers of every kind on all servers. */
export function startLoad(urls: string[], random: () => number, fail: (problem: string) => void): Load {
  const kinds = buildKinds(urls, random);
  const outcomeCounts = new Map<string, number>();
  const faultOutcomes = new Map<string, number>();
  let isStopped = false;
  let isFault = false;
  let faultEndedAt = 0;
  /** Kinds of requests that have not succeeded since the fault ended. */
  const unrecoveredKinds = new Set<string>();

  const stopCallers = startCallers(
    kinds,
    ({ kind, sentAt, ms, isExpected, response }) => {
      const { status, error, retryAfter, text } = response;
      const isDuringFault = isFault || unrecoveredKinds.size > 0 || sentAt < faultEndedAt;
      count(outcomeCounts, `${kind.name} ${describeOutcome(response)}`);
      if (isExpected && !isFault) unrecoveredKinds.delete(kind.name);
      if (isDuringFault) count(faultOutcomes, describeOutcome(response));
      const isUnavailable = isDuringFault && status === 503 && retryAfter !== null;
      const isCutOff = isDuringFault && (kind as Kind).isStreamed === true && error?.message === 'terminated';
      if (isExpected || isUnavailable || isCutOff) return;
      fail(
        `${new Date().toISOString().slice(11, 23)} ${kind.name}${isDuringFault ? ' during a fault' : ''}: ` +
          `${describeOutcome(response)} ${text.slice(0, 200)} after ${Math.round(ms)} ms`,
      );
    },
    random,
  );

  /** Requests a report without reading the response, like a laptop whose lid was closed. */
  async function runPausedReader(): Promise<void> {
    while (!isStopped) {
      const url = new URL(urls[Math.floor(random() * urls.length)] ?? '');
      const socket = connect(Number(url.port), url.hostname);
      socket.on('error', () => {});
      socket.pause();
      socket.write(
        `GET /api/admin/projects/${PROJECTS[0]}/health-report HTTP/1.1\r\nHost: soak\r\nAuthorization: ${ADMIN_TOKEN}\r\n\r\n`,
      );
      for (let waitedMs = 0; waitedMs < READER_PAUSE_MS && !isStopped; waitedMs += 500) await sleep(500);
      socket.destroy();
      await sleep(NEXT_READER_AFTER_MS);
    }
  }
  const readers = Array.from({ length: PAUSED_READERS }, runPausedReader);

  return {
    summary: () => `${formatCounts(outcomeCounts)}; during faults: ${formatCounts(faultOutcomes) || 'none'}`,
    beginFault: () => {
      isFault = true;
    },
    endFault: async withinMs => {
      const startedAt = performance.now();
      for (const kind of kinds) if (kind.pauseMs < withinMs / 4) unrecoveredKinds.add(kind.name);
      isFault = false;
      while (unrecoveredKinds.size > 0 && performance.now() - startedAt < withinMs) await sleep(50);
      unrecoveredKinds.clear();
      faultEndedAt = performance.now();
      return faultEndedAt - startedAt;
    },
    stop: async () => {
      isStopped = true;
      await Promise.race([Promise.all([stopCallers(), ...readers]), sleep(STOP_TIMEOUT_MS)]);
    },
  };
}
