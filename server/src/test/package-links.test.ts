import { expect, test } from 'vitest';
import { buildRepositoryLinks } from '../../../scripts/package/repository.ts';

test('a published package links to the repository that publishes it', () => {
  const publishedLinks = buildRepositoryLinks({
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_REPOSITORY: 'somebody/halyard',
  });

  expect(publishedLinks).toEqual({
    homepage: 'https://github.example/somebody/halyard#readme',
    repository: { type: 'git', url: 'git+https://github.example/somebody/halyard.git' },
    bugs: { url: 'https://github.example/somebody/halyard/issues' },
  });
});

test('a package that is not built on GitHub links to no repository', () => {
  expect(buildRepositoryLinks({})).toEqual({});
});
