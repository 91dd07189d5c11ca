import { NewToken } from '../../api-tokens/new.tsx';
import { SettingsPage } from './Frame.tsx';
import { getTokensPath } from './tokens-path.ts';

/** Creates a token that can read only this project's flags. */
export function NewProjectTokenPage() {
  return (
    <SettingsPage>{({ id }) => <NewToken key={id} project={id} path={getTokensPath(id)} />}</SettingsPage>
  );
}
