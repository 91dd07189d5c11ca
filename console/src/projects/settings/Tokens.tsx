import { Tokens } from '../../api-tokens/list.tsx';
import { SettingsPage } from './Frame.tsx';
import { tokensPathOf } from './tokens-path.ts';

/** The API tokens of the project, without those of all projects. */
export function ProjectTokensPage() {
  return <SettingsPage>{({ id }) => <Tokens key={id} project={id} path={tokensPathOf(id)} />}</SettingsPage>;
}
