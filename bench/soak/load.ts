import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { count, listed } from '../campaign.ts';
import { type Kind as CallerKind, outcomeOf, startCallers } from '../load.ts';
import { type Response, send } from '../requests.ts';
import { ADMIN_TOKEN } from '../server.ts';
import { ENVIRONMENT, FLAGS, flag, flagsFrom, PROJECTS } from './data.ts';

export type Load = {
  summary: () => string;
  databaseGoesDown: () => void;
  /** Waits until every kind of request has succeeded again, and returns how long that took. */
  databaseIsBack: (withinMs: number) => Promise<number>;
  stop: () => Promise<void>;
};

/** The response is sent while it is read, so a fault can only cut it off. */
type Kind = CallerKind & { streamed?: boolean };

const PAUSED_READERS = 4;
const PAUSED_FOR_MS = 20_000;
const PAUSED_AGAIN_AFTER_MS = 5_000;
/** A request that was in flight when a fault ended may still report it. */
const SLOWEST_MS = 60_000;

function kindsOf(urls: string[], random: () => number): Kind[] {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const someNumber = () => Math.floor(random() * FLAGS);
  const someFlag = () => {
    const project = pick(PROJECTS);
    return { project, name: flag(project, someNumber()) };
  };
  const admin = (method: string, path: string, body?: object) =>
    send(pick(urls), method, `/api/admin/${path}`, body);
  const searches = [
    () => '',
    () => '?limit=200&offset=400',
    () => `?project=IS:${pick(PROJECTS)}`,
    () => '?type=IS_ANY_OF:feature-created,feature-updated',
    () => `?query=flag-${someNumber()}`,
    () => `?feature=IS:${someFlag().name}`,
  ];
  let clones = 0;
  const existing: { project: string; name: string }[] = [];
  const clone = async () => {
    const { project, name } = someFlag();
    const copy = `${project}.clone-${++clones}`;
    const response = await admin('POST', `projects/${project}/features/${name}/clone`, { name: copy });
    if (response.status === 200) existing.push({ project, name: copy });
    return response;
  };
  /** Clones are archived and deleted again, so that responses do not grow with the run. */
  const removeClone = async () => {
    const { project, name } = existing.shift() ?? { project: PROJECTS[0], name: 'none' };
    const archived = await admin('DELETE', `projects/${project}/features/${name}`);
    const isArchived = archived.status >= 200 && archived.status < 300;
    return isArchived ? await admin('DELETE', `archive/${name}`) : archived;
  };
  const toggle = () => {
    const { project, name } = someFlag();
    const path = `projects/${project}/features/${name}/environments/${ENVIRONMENT}`;
    return admin('POST', `${path}/${random() < 0.5 ? 'on' : 'off'}`, {});
  };
  const importFlags = () =>
    admin(
      'POST',
      'features-batch/import',
      flagsFrom(pick(PROJECTS), Math.floor(random() * (FLAGS - 50)), 50),
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
    one: () => Promise<Response>,
    streamed = false,
  ): Kind => ({ name, callers, pauseMs, expected, send: one, streamed });
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

/** Callers of every kind on all servers, until stopped. */
export function startLoad(urls: string[], random: () => number, fail: (problem: string) => void): Load {
  const kinds = kindsOf(urls, random);
  const sent = new Map<string, number>();
  const duringFaults = new Map<string, number>();
  let stopped = false;
  let away = false;
  let faultEndedAt = 0;
  /** Kinds of requests without a success since the fault ended. */
  const toRecover = new Set<string>();

  const stopCallers = startCallers(
    kinds,
    ({ kind, at, ms, isExpected, response }) => {
      const { status, error, retryAfter, text } = response;
      const isDuringFault = away || toRecover.size > 0 || at < faultEndedAt;
      count(sent, `${kind.name} ${outcomeOf(response)}`);
      if (isExpected && !away) toRecover.delete(kind.name);
      if (isDuringFault) count(duringFaults, outcomeOf(response));
      const isUnavailable = isDuringFault && status === 503 && retryAfter !== null;
      const isCutOff = isDuringFault && (kind as Kind).streamed === true && error?.message === 'terminated';
      if (isExpected || isUnavailable || isCutOff) return;
      fail(
        `${new Date().toISOString().slice(11, 23)} ${kind.name}${isDuringFault ? ' during a fault' : ''}: ` +
          `${outcomeOf(response)} ${text.slice(0, 200)} after ${Math.round(ms)} ms`,
      );
    },
    random,
  );

  /** Requests a report and does not read it, like a laptop whose lid was closed. */
  async function pausedReader(): Promise<void> {
    while (!stopped) {
      const url = new URL(urls[Math.floor(random() * urls.length)] ?? '');
      const socket = connect(Number(url.port), url.hostname);
      socket.on('error', () => {});
      socket.pause();
      socket.write(
        `GET /api/admin/projects/${PROJECTS[0]}/health-report HTTP/1.1\r\nHost: soak\r\nAuthorization: ${ADMIN_TOKEN}\r\n\r\n`,
      );
      for (let waited = 0; waited < PAUSED_FOR_MS && !stopped; waited += 500) await sleep(500);
      socket.destroy();
      await sleep(PAUSED_AGAIN_AFTER_MS);
    }
  }
  const readers = Array.from({ length: PAUSED_READERS }, pausedReader);

  return {
    summary: () => `${listed(sent)}; during faults: ${listed(duringFaults) || 'none'}`,
    databaseGoesDown: () => {
      away = true;
    },
    databaseIsBack: async withinMs => {
      const started = performance.now();
      for (const kind of kinds) if (kind.pauseMs < withinMs / 4) toRecover.add(kind.name);
      away = false;
      while (toRecover.size > 0 && performance.now() - started < withinMs) await sleep(50);
      toRecover.clear();
      faultEndedAt = performance.now();
      return faultEndedAt - started;
    },
    stop: async () => {
      stopped = true;
      await Promise.race([Promise.all([stopCallers(), ...readers]), sleep(SLOWEST_MS)]);
    },
  };
}
