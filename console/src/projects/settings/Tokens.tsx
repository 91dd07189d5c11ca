import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { Can } from '../../ui/Can.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { Env } from '../../ui/Env.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { State } from '../../ui/State.tsx';
import { Time } from '../../ui/Time.tsx';
import { toast } from '../../ui/toasts.ts';
import { counted } from '../../ui/words.ts';
import type { ProjectDetails } from '../queries.ts';
import { SettingsPage } from './Frame.tsx';
import { type ApiToken, revokeToken, tokensQuery } from './queries.ts';
import s from './settings.module.css';

/** The API tokens that give access to the project. */
export function TokensPage() {
  return <SettingsPage>{project => <Tokens key={project.id} project={project} />}</SettingsPage>;
}

function Tokens({ project }: { project: ProjectDetails }) {
  const { data: tokens, error, refetch } = useQuery(tokensQuery(project.id));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={s.list} tabIndex={0} aria-label="API tokens">
      <header className={s.head}>
        <h2>API tokens</h2>
        <span className="muted">SDKs read the flags of this project with them</span>
      </header>
      {error && !tokens && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !tokens && <Skeleton rows={4} />}
      {tokens?.length === 0 && (
        <Empty icon={<KeyRound size={22} />}>
          No token is for this project. Tokens for all projects work too.
        </Empty>
      )}
      {tokens && tokens.length > 0 && (
        <table className={s.table}>
          <thead>
            <tr>
              <th>Name</th>
              <th>Environment</th>
              <th>Expires</th>
              <th>Last seen</th>
              <th>
                <span className="sr">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.map(token => (
              <Token key={token.id} project={project} token={token} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Token({ project, token }: { project: ProjectDetails; token: ApiToken }) {
  const [asked, ask] = useState(false);
  const { id, tokenName, type, environment, projects, expiresAt, seenAt } = token;
  const others = projects.length - 1;
  const revoke = async () => {
    await revokeToken(project.id, id);
    toast({ message: `Revoked ${tokenName}.` });
  };
  return (
    <tr>
      <td>
        <span className={s.member}>
          <span>
            <b>{tokenName}</b>
            <small>
              {type}
              {others > 0 && ` · and ${counted(others, 'other project')}`}
            </small>
          </span>
        </span>
      </td>
      <td>{environment ? <Env name={environment} /> : 'all'}</td>
      <td className="muted">{expiresAt ? <Time at={expiresAt} as="date" /> : 'never'}</td>
      <td className="muted">{seenAt ? <Time at={seenAt} /> : <State tone="off">Never</State>}</td>
      <td>
        <Can call="deleteProjectApiToken" project={project.id}>
          <Button size="compact-xs" onClick={() => ask(true)}>
            Revoke… <span className="sr">{tokenName}</span>
          </Button>
        </Can>
        {asked && (
          <Confirm
            opened
            title={`Revoke ${tokenName}?`}
            action="Revoke token"
            danger
            onConfirm={revoke}
            onClose={() => ask(false)}
          >
            <p>
              {seenAt
                ? 'Applications with this token no longer receive changes. They keep the flags that they have, and get none after a restart.'
                : 'No application has used it.'}{' '}
              Nobody can restore a revoked token.
            </p>
          </Confirm>
        )}
      </td>
    </tr>
  );
}
