import { NewToken } from '../../api-tokens/new.tsx';
import { SettingsPage } from './Frame.tsx';
import { tokensPathOf } from './tokens-path.ts';

/** Creates a token that reads the flags of this project only. */
export function NewProjectTokenPage() {
  return (
    <SettingsPage>{({ id }) => <NewToken key={id} project={id} path={tokensPathOf(id)} />}</SettingsPage>
  );
}
