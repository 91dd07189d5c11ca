import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingPermissions } from '../api/me.ts';
import { type ApiToken, tokensQuery } from '../api-tokens/queries.ts';
import { isExpired, typeOf } from '../api-tokens/words.ts';
import { tokensPathOf } from '../projects/settings/tokens-path.ts';
import { SidePanel } from '../ui/SidePanel.tsx';
import { Programs } from './Connect.tsx';
import { ConnectionLine, useConnection } from './ConnectionLine.tsx';
import s from './connect.module.css';
import { firstFlagQuery } from './queries.ts';

/** Sample programs for an existing token. Nobody can read its secret, so they contain a placeholder. */
export function ConnectExisting({
  token,
  project,
  flag,
}: {
  token: ApiToken;
  project?: string | undefined;
  flag?: string | undefined;
}) {
  const connection = useConnection({ ...token, project });
  return (
    <div className={s.card}>
      <p className={s.note}>
        Replace <code>{placeholderOf(token.tokenName)}</code> with the secret that you stored when the token
        was created. Halyard cannot show it again.
      </p>
      <Programs
        token={{ type: token.type, secret: placeholderOf(token.tokenName) }}
        flag={flag}
        appName={token.tokenName}
      />
      <ConnectionLine connection={connection} />
    </div>
  );
}

const placeholderOf = (name: string): string => `<secret of ${name}>`;

/** "Connect an SDK" for a project: with one of its tokens, or with a new one. */
export function ConnectPanel({ project, onClose }: { project: string; onClose(): void }) {
  const mayRead = useMissingPermissions('getProjectApiTokens', { project }).length === 0;
  const { data: tokens } = useQuery({ ...tokensQuery(project), enabled: mayRead });
  const { data: flag } = useQuery(firstFlagQuery(project));
  const [chosen, choose] = useState<string>();
  const usable = tokens?.filter(token => token.type !== 'admin' && !isExpired(token)) ?? [];
  const token = usable.find(({ id }) => String(id) === chosen) ?? usable[0];
  const create = (
    <Link to={`${tokensPathOf(project)}/new`} className={s.link} onClick={onClose}>
      Create a token
    </Link>
  );
  return (
    <SidePanel title="Connect an SDK" onClose={onClose}>
      <div className={s.card}>
        {token ? (
          <>
            <NativeSelect
              label="Token"
              value={String(token.id)}
              data={usable.map(one => ({
                value: String(one.id),
                label: `${one.tokenName} · ${typeOf(one)} · ${one.environment ?? 'all environments'}`,
              }))}
              onChange={event => choose(event.target.value)}
            />
            <p className={s.note}>{create} to get a secret that you can copy.</p>
            <ConnectExisting key={token.id} token={token} project={project} flag={flag ?? undefined} />
          </>
        ) : (
          <>
            <p className={s.note}>
              An SDK connects with a token of the project. {create}, or use one that somebody gave you.
            </p>
            <Programs
              token={{ type: 'backend', secret: '<secret of your token>' }}
              flag={flag ?? undefined}
            />
          </>
        )}
      </div>
    </SidePanel>
  );
}
