import { useQuery } from '@tanstack/react-query';
import { useMe } from '../api/me.ts';
import { profileQuery } from '../shell/queries.ts';
import { Failure } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { Password } from './Password.tsx';
import { Preferences } from './Preferences.tsx';
import s from './profile.module.css';
import { Sessions } from './Sessions.tsx';
import { Tokens } from './Tokens.tsx';
import { Views } from './Views.tsx';

// The authorization page shares this chunk, because each additional chunk makes the first load larger.
export { AuthorizePage } from '../authorize/page.tsx';

/** Shows the user's preferences, views, tokens, sessions and password. */
export function ProfilePage() {
  const { user } = useMe();
  const profile = useQuery(profileQuery);
  const { rootRole, groups = [] } = profile.data ?? {};
  return (
    <Page
      title="Profile"
      note={[user.name, user.email, rootRole?.name, ...groups].filter(Boolean).join(' · ')}
    >
      <div className={s.body}>
        <Preferences />
        <Views />
        <Tokens />
        <Sessions />
        {profile.error && <Failure error={profile.error} onRetry={() => void profile.refetch()} />}
        {profile.data && <Password canChange={profile.data.canChangePassword} />}
      </div>
    </Page>
  );
}
