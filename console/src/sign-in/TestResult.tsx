import { Button } from '@mantine/core';
import { Check, CircleX, RefreshCw, TriangleAlert } from 'lucide-react';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { FormErrors } from '../ui/Failure.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { SHOWN_FIELDS } from './draft.ts';
import type { OidcTest } from './queries.ts';
import s from './sign-in.module.css';

const CHECK_NAMES: Record<OidcTest['checks'][number]['name'], string> = {
  discovery: 'Discovery',
  issuer: 'Issuer',
  keys: 'Keys',
  client: 'Client',
  algorithm: 'Algorithm',
  claims: 'Claims',
  scope: 'Scope',
  logout: 'Logout',
};
const ICONS = { passed: Check, warning: TriangleAlert, failed: CircleX };
const TONES = { passed: 'on', warning: 'warn', failed: 'bad' };

/** Shows the last test's result, and a button that starts a test. */
export function TestResult({
  test,
  isCurrent,
  isPending,
  error,
  onTest,
}: {
  test: OidcTest | undefined;
  /** Whether the test ran with the settings in the form. */
  isCurrent: boolean;
  isPending: boolean;
  error: unknown;
  onTest(): void;
}) {
  const rejectedFields = Object.keys(messagesByField(error));
  return (
    <RailSection
      title="Test result"
      aside={
        <Button leftSection={<RefreshCw size={14} />} loading={isPending} onClick={onTest}>
          {test ? 'Test again' : 'Test'}
        </Button>
      }
    >
      <div role="status">
        <FormErrors messages={messagesWithoutField(error, SHOWN_FIELDS)} />
        {rejectedFields.length > 0 && (
          <p className={s.stale}>Not tested: complete the marked fields first.</p>
        )}
        {!test && !error && (
          <p className="muted">
            A test fetches the provider's discovery document and keys, and checks that the provider knows the
            client. It saves nothing.
          </p>
        )}
        {test && !isCurrent && <p className={s.stale}>The form has changed since this test.</p>}
        {test && (
          <ul className={s.checks} data-stale={!isCurrent || undefined}>
            {test.checks.map(({ name, result, message }) => {
              const Icon = ICONS[result];
              return (
                <li key={name} data-tone={TONES[result]}>
                  <Icon size={15} aria-label={result} />
                  <p>
                    <b>{CHECK_NAMES[name]}</b> {message}
                  </p>
                </li>
              );
            })}
          </ul>
        )}
      </div>
    </RailSection>
  );
}
