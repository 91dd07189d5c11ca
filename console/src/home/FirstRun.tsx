import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, Download, FolderOpen, LogIn, type LucideIcon, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { can } from '../api/can.ts';
import { useMe } from '../api/me.ts';
import type { CreatedToken } from '../connect/Connect.tsx';
import { Page } from '../ui/Page.tsx';
import { ConnectStep } from './ConnectStep.tsx';
import { CreateFlagStep } from './CreateFlagStep.tsx';
import { EvaluationStep } from './EvaluationStep.tsx';
import s from './first-run.module.css';
import { newestFlagQuery, newestTokenQuery } from './queries.ts';
import { useProgress } from './useProgress.ts';

/** Guides the user from an empty instance to a flag that an application evaluates. Each step is checked off automatically. */
export function FirstRun({ onHide }: { onHide(): void }) {
  const me = useMe();
  const flag = useQuery(newestFlagQuery).data;
  const existingToken = useQuery(newestTokenQuery).data;
  // Kept separately, because only the response to creating the token contains the secret.
  const [createdToken, setCreatedToken] = useState<CreatedToken>();
  const token = createdToken ?? existingToken ?? undefined;
  const { completedSteps, connection } = useProgress(flag ?? undefined, token);
  const currentIndex = completedSteps.findIndex(isDone => !isDone);
  const name = me.user.name || me.user.username || '';
  if (flag === undefined) return null;
  return (
    <Page
      name="First steps"
      title={<span className={s.title}>Your first flag in three steps</span>}
      crumbs={name ? `Welcome, ${name}` : 'Welcome'}
    >
      <div className={s.page}>
        <div className={s.steps}>
          <p className={s.lead}>
            Halyard checks off each step as it happens, so you can work in your own editor.
          </p>
          <CreateFlagStep flag={flag} isCurrent={currentIndex === 0} />
          <ConnectStep
            isCurrent={currentIndex === 1}
            flag={flag?.name}
            token={token}
            createdToken={createdToken}
            connection={connection}
            onCreated={setCreatedToken}
          />
          <EvaluationStep
            isCurrent={currentIndex === 2}
            flag={flag}
            isDone={completedSteps[2]}
            connection={connection}
          />
        </div>
        <aside className={s.rail} aria-label="Progress and next steps">
          <Progress completedSteps={completedSteps} />
          <section>
            <h2>Next steps</h2>
            <ul className={s.next}>
              {can(me, 'createUser') && (
                <NextLink to="/admin/users" search={{ edit: 'new' }} icon={UserPlus}>
                  Invite a colleague
                </NextLink>
              )}
              {can(me, 'setOidcSettings') && (
                <NextLink to="/admin/sign-in" icon={LogIn}>
                  Connect single sign-on
                </NextLink>
              )}
              {can(me, 'createProject') && (
                <NextLink to="/projects" search={{ edit: 'new' }} icon={FolderOpen}>
                  Create a project for your team
                </NextLink>
              )}
              <NextLink to="/admin/transfer/import" icon={Download}>
                Import from Unleash
              </NextLink>
            </ul>
          </section>
          <section>
            <h2>Good to know</h2>
            <p>Halyard works with Unleash SDKs, so code that uses one keeps working.</p>
          </section>
          <button type="button" className={s.hide} onClick={onHide}>
            {completedSteps.every(Boolean) ? 'Go to the home page' : 'Hide these steps'}
          </button>
        </aside>
      </div>
    </Page>
  );
}

function Progress({ completedSteps }: { completedSteps: readonly boolean[] }) {
  const count = completedSteps.filter(Boolean).length;
  return (
    <section>
      <h2>Progress</h2>
      <div className={s.progress} aria-hidden="true">
        {completedSteps.map((isDone, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps never change their order
          <i key={index} data-done={isDone || undefined} />
        ))}
      </div>
      <p role="status">
        {count} of {completedSteps.length} steps done
      </p>
    </section>
  );
}

function NextLink({
  to,
  search,
  icon: Icon,
  children,
}: {
  to: string;
  search?: Record<string, string>;
  icon: LucideIcon;
  children: string;
}) {
  return (
    <li>
      <Link to={to} className={s.nextLink} {...(search && { search })}>
        <Icon size={16} aria-hidden="true" />
        <span>{children}</span>
        <ChevronRight size={16} aria-hidden="true" />
      </Link>
    </li>
  );
}
