import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { otherMessages } from '../api/errors.ts';
import { ConnectInCard, type CreatedToken } from '../connect/Connect.tsx';
import { ConnectionLine, type useConnection } from '../connect/ConnectionLine.tsx';
import { Can } from '../ui/Can.tsx';
import { Env } from '../ui/Env.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import s from './first-run.module.css';
import { createToken, ENVIRONMENT, type FirstToken } from './queries.ts';
import { Step } from './Step.tsx';

type Type = 'backend' | 'frontend';
const LEAVE = {
  title: 'Leave without the secret?',
  action: 'Leave',
  text: 'You have not confirmed that you stored the secret. Halyard cannot show it again.',
};

/** The second step: a token, its secret, a program, and a line that turns green when the program connects. */
export function ConnectStep({
  isCurrent,
  flag,
  token,
  created,
  connection,
  onCreated,
}: {
  isCurrent: boolean;
  flag: string | undefined;
  token: FirstToken | undefined;
  /** The token with its secret, if it was created on this page. */
  created: CreatedToken | undefined;
  connection: ReturnType<typeof useConnection> | undefined;
  onCreated(token: CreatedToken): void;
}) {
  const [isStored, setStored] = useState(false);
  const create = useMutation({
    mutationFn: (type: Type) => createToken(type),
    onSuccess: next => {
      setStored(false);
      onCreated(next);
    },
  });
  const { question } = useUnsaved(created !== undefined && !isStored, () => {}, LEAVE);
  const isDone = connection !== undefined && connection.state !== 'waiting';
  const button = (type: Type, label: string) => (
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
  const application = connection?.application?.appName;
  return (
    <Step
      number={2}
      title="Connect your application"
      isDone={isDone}
      isCurrent={isCurrent}
      summary={
        isDone ? (
          application ? (
            <>
              <b>{application}</b> uses token <b>{token?.tokenName}</b>
            </>
          ) : (
            <>
              A program uses token <b>{token?.tokenName}</b>
            </>
          )
        ) : created ? (
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
          <FormErrors messages={otherMessages(create.error, [])} />
          {!created && !token && (
            <span className={s.buttons}>
              {button('backend', 'Create token for a server')}
              {button('frontend', 'Create token for a browser')}
            </span>
          )}
          {!created && token && connection && (
            <>
              <p>
                Token <b>{token.tokenName}</b> exists, and its secret was shown once. If you do not have it,
                create a new token.
              </p>
              <ConnectionLine connection={connection} />
              <span className={s.buttons}>
                {button('backend', 'Create token for a server')}
                {button('frontend', 'Create token for a browser')}
              </span>
            </>
          )}
        </div>
      )}
      {/* Stays while the program connects, because the secret is shown nowhere else. */}
      {created && (!isDone || !isStored) && (
        <ConnectInCard
          key={created.id}
          token={created}
          flag={flag}
          appName="first-application"
          isTrial
          isStored={isStored}
          onStored={setStored}
          wrongType={
            <span className={s.buttons}>
              {created.type === 'frontend'
                ? button('backend', 'Create token for a server')
                : button('frontend', 'Create token for a browser')}
            </span>
          }
        />
      )}
      {question}
    </Step>
  );
}
