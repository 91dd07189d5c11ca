import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RequestError } from '../api/errors.ts';
import { tokensQuery } from '../profile/queries.ts';
import { Failure } from '../ui/Failure.tsx';
import { Form } from '../ui/Form.tsx';
import { Page } from '../ui/Page.tsx';
import s from './authorize.module.css';
import { Consent } from './Consent.tsx';
import { previewQuery, type RequestedAuthorization } from './queries.ts';

/** Asks whether a client may act on the user's behalf. The client opens this page, or shows a code that the user enters here. */
export function AuthorizePage() {
  // Passed on exactly as the client wrote it, because the server parses it.
  const [query] = useState(() => location.search.slice(1));
  const parameters = new URLSearchParams(query);
  const [enteredCode, setEntered] = useState<string>();
  const request = parameters.has('client_id')
    ? { query }
    : enteredCode === undefined
      ? undefined
      : { userCode: enteredCode };
  if (request)
    return (
      <AuthorizationRequest
        request={request}
        onChangeCode={'query' in request ? undefined : () => setEntered(undefined)}
      />
    );
  return (
    <Page title="Connect a client">
      <div className={s.body}>
        <EnterCode initial={parameters.get('user_code') ?? ''} onEntered={setEntered} />
      </div>
    </Page>
  );
}

/** Asks for the code. A link can prefill the code but never submit it, because the sender of the link would get the token. */
function EnterCode({ initial, onEntered }: { initial: string; onEntered(code: string): void }) {
  const [code, setCode] = useState(initial.slice(0, 20));
  return (
    <Form
      onSubmit={() => onEntered(code)}
      actions={
        <Button type="submit" variant="filled" disabled={code.trim() === ''}>
          Continue
        </Button>
      }
    >
      <TextInput
        label="Code"
        description="The eight letters that the CLI shows. Never enter a code that somebody sent you."
        placeholder="BCDF-GHJK"
        maxLength={20}
        autoComplete="off"
        spellCheck={false}
        value={code}
        onChange={event => setCode(event.target.value)}
      />
    </Form>
  );
}

function AuthorizationRequest({
  request,
  onChangeCode,
}: {
  request: RequestedAuthorization;
  onChangeCode: (() => void) | undefined;
}) {
  const preview = useQuery(previewQuery(request));
  const { data: tokens } = useQuery(tokensQuery);
  const { data, error } = preview;
  if (data && tokens)
    return <Consent request={request} preview={data} takenNames={tokens.map(token => token.description)} />;
  return (
    <Page title="Connect a client">
      <div className={s.body}>
        {error instanceof RequestError && error.status >= 400 && error.status < 500 ? (
          <div role="alert" className={s.body}>
            <p>{error.message}</p>
            <p>No access was granted. Start again in the client.</p>
          </div>
        ) : (
          error && <Failure error={error} onRetry={() => void preview.refetch()} />
        )}
        {error && onChangeCode && (
          <div>
            <Button onClick={onChangeCode}>Enter a different code</Button>
          </div>
        )}
      </div>
    </Page>
  );
}
