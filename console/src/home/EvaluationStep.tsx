import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMissingPermissions } from '../api/me.ts';
import type { useConnection } from '../connect/ConnectionLine.tsx';
import { setEnabled, usageQuery } from '../features/queries.ts';
import { Env } from '../ui/Env.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { toastError } from '../ui/toasts.ts';
import { formatCount, formatNumber } from '../ui/words.ts';
import s from './first-run.module.css';
import { ENVIRONMENT, type NewestFlag } from './queries.ts';
import { Step } from './Step.tsx';

const HOURS_BACK = 24;

/** The third step shows the result that the application got, and a toggle that changes it. */
export function EvaluationStep({
  isCurrent,
  isDone,
  flag,
  connection,
}: {
  isCurrent: boolean;
  isDone: boolean;
  flag: NewestFlag | null;
  connection: ReturnType<typeof useConnection> | undefined;
}) {
  const client = useQueryClient();
  const { data } = useQuery({
    ...usageQuery(flag?.name ?? '', HOURS_BACK),
    enabled: isDone && flag !== null,
  });
  const missingPermissions = useMissingPermissions('enableFeature', {
    project: flag?.project,
    environment: ENVIRONMENT,
  });
  const flagEnvironment = flag?.environments.find(({ name }) => name === ENVIRONMENT);
  const rows = data?.data.filter(({ environment }) => environment === ENVIRONMENT) ?? [];
  const yes = rows.reduce((sum, row) => sum + row.yes, 0);
  const no = rows.reduce((sum, row) => sum + row.no, 0);
  const appName = connection?.application?.appName;
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
        flagEnvironment && (
          <>
            <Env name={ENVIRONMENT} />
            <Toggle
              checked={flagEnvironment.enabled}
              label={`${flag.name} in ${ENVIRONMENT}`}
              missingPermissions={missingPermissions}
              onChange={enabled => void toggle(enabled).catch(toastError)}
            />
          </>
        )
      }
      summary={
        isDone ? (
          <>
            <b>{appName ?? 'A client'}</b> evaluated <b className="mono">{flag?.name}</b>{' '}
            {yes + no > 0 &&
              `${formatCount(yes + no, 'time')}: ${formatNumber(yes)} enabled, ${formatNumber(no)} disabled. `}
            Toggle it and watch your application.
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
