import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMissingPermissions } from '../api/me.ts';
import type { useConnection } from '../connect/ConnectionLine.tsx';
import { setEnabled, usageQuery } from '../features/queries.ts';
import { Env } from '../ui/Env.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { toastError } from '../ui/toasts.ts';
import { counted, formatNumber } from '../ui/words.ts';
import s from './first-run.module.css';
import { ENVIRONMENT, type FirstFlag } from './queries.ts';
import { Step } from './Step.tsx';

const HOURS = 24;

/** The third step: what the program got, and the toggle to change it. */
export function EvaluationStep({
  isCurrent,
  isDone,
  flag,
  connection,
}: {
  isCurrent: boolean;
  isDone: boolean;
  flag: FirstFlag | null;
  connection: ReturnType<typeof useConnection> | undefined;
}) {
  const client = useQueryClient();
  const { data } = useQuery({ ...usageQuery(flag?.name ?? '', HOURS), enabled: isDone && flag !== null });
  const missing = useMissingPermissions('enableFeature', {
    project: flag?.project,
    environment: ENVIRONMENT,
  });
  const here = flag?.environments.find(({ name }) => name === ENVIRONMENT);
  const rows = data?.data.filter(({ environment }) => environment === ENVIRONMENT) ?? [];
  const yes = rows.reduce((sum, row) => sum + row.yes, 0);
  const no = rows.reduce((sum, row) => sum + row.no, 0);
  const application = connection?.application?.appName;
  const toggle = async (enabled: boolean) => {
    if (!flag) return;
    await setEnabled(
      client,
      { projectId: flag.project, featureName: flag.name, environment: ENVIRONMENT },
      enabled,
    );
  };
  return (
    <Step
      number={3}
      title="See the first evaluation"
      isDone={isDone}
      isCurrent={isCurrent}
      aside={
        flag &&
        here && (
          <>
            <Env name={ENVIRONMENT} />
            <Toggle
              checked={here.enabled}
              label={`${flag.name} in ${ENVIRONMENT}`}
              missing={missing}
              onChange={enabled => void toggle(enabled).catch(toastError)}
            />
          </>
        )
      }
      summary={
        isDone ? (
          <>
            <b>{application ?? 'A program'}</b> evaluated <b className="mono">{flag?.name}</b>{' '}
            {yes + no > 0 &&
              `${counted(yes + no, 'time')}: ${formatNumber(yes)} enabled, ${formatNumber(no)} disabled. `}
            Toggle it and watch your program.
          </>
        ) : (
          <>
            The result appears here when your code asks for{' '}
            {flag ? <b className="mono">{flag.name}</b> : 'the flag'}.
            {isCurrent && ' SDKs report at least once a minute.'} Then toggle it.
          </>
        )
      }
    >
      {isCurrent && (
        <p className={s.waiting} role="status">
          <i aria-hidden="true" /> Waiting for the first evaluation…
        </p>
      )}
    </Step>
  );
}
