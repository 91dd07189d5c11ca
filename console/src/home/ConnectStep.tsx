import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { messagesWithoutField } from '../api/errors.ts';
import { ConnectInCard, type CreatedToken } from '../connect/Connect.tsx';
import { ConnectionLine, type useConnection } from '../connect/ConnectionLine.tsx';
import { Can } from '../ui/Can.tsx';
import { Env } from '../ui/Env.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import s from './first-run.module.css';
import { createToken, ENVIRONMENT, type NewestToken } from './queries.ts';
import { Step } from './Step.tsx';

type Type = 'backend' | 'frontend';
const LEAVE_CONFIRMATION = {
  title: 'Leave without the secret?',
  action: 'Leave',
  text: 'You have not confirmed that you stored the secret. Halyard cannot show it again.',
};

/** The second step, with a token, its secret, sample programs, and a line that turns green when a client connects. */
export function ConnectStep({
  isCurrent,
  flag,
  token,
  createdToken,
  connection,
  onCreated,
}: {
  isCurrent: boolean;
  flag: string | undefined;
  token: NewestToken | undefined;
  /** The token with its secret, if it was created on this page. */
  createdToken: CreatedToken | undefined;
  connection: ReturnType<typeof useConnection> | undefined;
  onCreated(token: CreatedToken): void;
}) {
  const [isStored, setStored] = useState(false);
  const create = useMutation({
    mutationFn: (type: Type) => createToken(type),
    onSuccess: newToken => {
      setStored(false);
      onCreated(newToken);
    },
  });
  const { confirmation } = useUnsaved(createdToken !== undefined && !isStored, () => {}, LEAVE_CONFIRMATION);
  const isDone = connection !== undefined && connection.state !== 'waiting';
  const createButton = (type: Type, label: string) => (
    <Can call="createApiToken">
      <Button
        variant={type === 'backend' ? 'filled' : 'default'}
        loading={create.isPending && create.variables === type}
        onClick={() => create.mutate(type)}
      >
        {label}
      </Button>
    </Can>
  );
  const appName = connection?.application?.appName;
  return (
    <Step
      number={2}
      title="Connect your application"
      isDone={isDone}
      isCurrent={isCurrent}
      summary={
        isDone ? (
          appName ? (
            <>
              <b>{appName}</b> uses token <b>{token?.tokenName}</b>
            </>
          ) : (
            <>
              A client uses token <b>{token?.tokenName}</b>
            </>
          )
        ) : createdToken ? (
          <>
            This token reads the flags of Default in <Env name={ENVIRONMENT} />. Halyard shows its secret
            once.
          </>
        ) : (
          <>
            An SDK connects with a token, which reads the flags of Default in <Env name={ENVIRONMENT} />.
          </>
        )
      }
    >
      {isCurrent && (
        <div className={s.form}>
          <FormErrors messages={messagesWithoutField(create.error, [])} />
          {!createdToken && !token && (
            <span className={s.buttons}>
              {createButton('backend', 'Create token for a server')}
              {createButton('frontend', 'Create token for a browser')}
            </span>
          )}
          {!createdToken && token && connection && (
            <>
              <p>
                Token <b>{token.tokenName}</b> exists, and its secret was shown once. If you do not have it,
                create a new token.
              </p>
              <ConnectionLine connection={connection} />
              <span className={s.buttons}>
                {createButton('backend', 'Create token for a server')}
                {createButton('frontend', 'Create token for a browser')}
              </span>
            </>
          )}
        </div>
      )}
      {/* Stays visible while the client connects, because the secret is shown nowhere else. */}
      {createdToken && (!isDone || !isStored) && (
        <ConnectInCard
          token={createdToken}
          flag={flag}
          appName="first-application"
          isTrial
          isStored={isStored}
          onStored={setStored}
          wrongType={
            <span className={s.buttons}>
              {createdToken.type === 'frontend'
                ? createButton('backend', 'Create token for a server')
                : createButton('frontend', 'Create token for a browser')}
            </span>
          }
        />
      )}
      {confirmation}
    </Step>
  );
}
