import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingPermissions } from '../api/me.ts';
import { type ApiToken, tokensQuery } from '../api-tokens/queries.ts';
import { getTypeLabel, isExpired } from '../api-tokens/words.ts';
import { getTokensPath } from '../projects/settings/tokens-path.ts';
import { escapeText } from '../ui/caller-text.ts';
import { SidePanel } from '../ui/SidePanel.tsx';
import { Programs } from './Connect.tsx';
import { ConnectionLine, useConnection } from './ConnectionLine.tsx';
import s from './connect.module.css';
import { firstFlagQuery } from './queries.ts';

/** Shows sample programs for an existing token. They contain a placeholder, because the secret is shown only once. */
export function ConnectExisting({
  token,
  project,
  flag,
  appName = token.tokenName,
}: {
  token: ApiToken;
  project?: string | undefined;
  flag?: string | undefined;
  appName?: string | undefined;
}) {
  const connection = useConnection({ ...token, project });
  return (
    <div className={s.card}>
      <p className={s.note}>
        Replace <code>{formatPlaceholder(token.tokenName)}</code> with the secret that you stored when the
        token was created. Halyard cannot show it again. If the secret is lost or leaked, open the token and
        rotate the secret.
      </p>
      <Programs
        token={{ type: token.type, secret: formatPlaceholder(token.tokenName) }}
        flag={flag}
        appName={appName}
      />
      <ConnectionLine connection={connection} />
    </div>
  );
}

const formatPlaceholder = (name: string): string => `<secret of ${name}>`;

/** Connects an SDK to a project with one of its tokens, or with a new token. */
export function ConnectPanel({ project, onClose }: { project: string; onClose(): void }) {
  const mayRead = useMissingPermissions('getProjectApiTokens', { project }).length === 0;
  const { data: tokens } = useQuery({ ...tokensQuery(project), enabled: mayRead });
  const { data: flag } = useQuery(firstFlagQuery(project));
  const [chosenId, setChosenId] = useState<string>();
  const usableTokens = tokens?.filter(token => token.type !== 'admin' && !isExpired(token)) ?? [];
  const token = usableTokens.find(({ id }) => String(id) === chosenId) ?? usableTokens[0];
  const createLink = (
    <Link to={`${getTokensPath(project)}/new`} className={s.link} onClick={onClose}>
      Create a token
    </Link>
  );
  return (
    <SidePanel title="Connect an SDK" wide onClose={onClose}>
      <div className={s.card}>
        {token ? (
          <>
            <NativeSelect
              label="Token"
              value={String(token.id)}
              data={usableTokens.map(option => ({
                value: String(option.id),
                label: `${escapeText(option.tokenName)} · ${getTypeLabel(option)} · ${option.environment ?? 'all environments'}`,
              }))}
              onChange={event => setChosenId(event.target.value)}
            />
            <p className={s.note}>{createLink} to get a secret that you can copy.</p>
            <ConnectExisting key={token.id} token={token} project={project} flag={flag ?? undefined} />
          </>
        ) : (
          <>
            <p className={s.note}>
              An SDK connects with a project token. {createLink}, or use one that somebody gave you.
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
