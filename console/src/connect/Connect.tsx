import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox } from '@mantine/core';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.ts';
import { SecretField } from '../ui/Secret.tsx';
import { ConnectionLine, useConnection } from './ConnectionLine.tsx';
import s from './connect.module.css';
import { Snippets } from './Snippets.tsx';
import { buildSnippets } from './snippets.ts';

/** The response to the request that created the token. No other response contains the secret. */
export type CreatedToken = Schemas['ApiToken'];

type Props = {
  token: CreatedToken;
  /** The project whose permissions let the user create the token, or undefined if the user has the permission instance-wide. */
  project?: string | undefined;
  /** The flag that the sample programs evaluate. */
  flag?: string | undefined;
  /** The application name that the sample programs send. */
  appName?: string | undefined;
  /** Set while the user is waiting for the first metrics. */
  isTrial?: boolean;
  isStored: boolean;
  onStored(isStored: boolean): void;
  /** Shown instead of a program that needs the other token type. */
  wrongType?: ReactNode;
};

const WRONG_TYPE = {
  backend: 'Everyone who opens a page can read its token, so this needs a token of type frontend.',
  frontend: 'A server SDK needs a token of type backend.',
};

/** Guides the user through connecting an SDK: store the secret, add it to the application, see it connect. */
export function Connect(props: Props) {
  const connection = useConnection({ ...props.token, project: props.project });
  const isConnected = connection.state !== 'waiting';
  return (
    <ol className={s.steps}>
      <Step number={1} title="Store the secret" done={props.isStored}>
        <p>This is the only time Halyard shows it. If you lose it, create a new token and delete this one.</p>
        <StoreSecret {...props} />
      </Step>
      <Step number={2} title="Add it to your application" done={isConnected}>
        <Programs {...props} />
      </Step>
      <Step number={3} title="See it connect" done={isConnected}>
        <ConnectionLine connection={connection} />
      </Step>
    </ol>
  );
}

/** Shows the same steps without numbers, for a card that has its own numbering. */
export function ConnectInCard(props: Props) {
  const connection = useConnection({ ...props.token, project: props.project });
  return (
    <div className={s.card}>
      <StoreSecret {...props} />
      <Programs {...props} />
      <ConnectionLine connection={connection} />
    </div>
  );
}

function StoreSecret({ token, isStored, onStored }: Props) {
  return (
    <>
      <SecretField secret={token.secret} />
      <Checkbox
        label="I have stored the secret"
        checked={isStored}
        onChange={event => onStored(event.target.checked)}
      />
    </>
  );
}

/** Shows a sample program with the token for each way to connect. */
export function Programs({
  token,
  flag = 'new-checkout',
  appName = 'my-application',
  isTrial = false,
  wrongType,
}: Pick<Props, 'flag' | 'appName' | 'isTrial' | 'wrongType'> & {
  token: Pick<CreatedToken, 'type' | 'secret'>;
}) {
  const type = token.type === 'frontend' ? 'frontend' : 'backend';
  const snippets = buildSnippets({
    url: location.origin,
    secret: token.secret,
    type,
    appName,
    flag,
    isTrial,
  });
  return (
    <Snippets
      snippets={snippets}
      wrongType={
        <>
          {WRONG_TYPE[type]} {wrongType}
        </>
      }
    />
  );
}

function Step({
  number,
  title,
  done,
  children,
}: {
  number: number;
  title: string;
  done: boolean;
  children: ReactNode;
}) {
  return (
    <li>
      <span className={s.number} data-done={done || undefined} aria-hidden="true">
        {done ? <Check size={13} /> : number}
      </span>
      <section aria-label={title}>
        <h2>{title}</h2>
        {children}
      </section>
    </li>
  );
}
