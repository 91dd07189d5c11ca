import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase } from 'vitest/node';

/** Reports each test that passed only on a retry, with its earlier failures, because the default reporter shows neither. */
export const repeatedTests: Reporter = {
  onTestCaseResult(test) {
    const retries = test.diagnostic()?.retryCount ?? 0;
    if (retries > 0 && test.ok())
      console.log(
        `${test.module.relativeModuleId} > ${test.fullName} (retry x${retries})${describeFailures(test)}`,
      );
  },
};

/** Describes the failures in one line, which `.ci/run` repeats at the end of the run. */
const describeFailures = (test: TestCase): string =>
  (test.result().errors ?? [])
    .map(({ message, stacks }) => {
      const line = stacks?.find(({ file }) => file.endsWith(test.module.relativeModuleId))?.line ?? '?';
      return ` line ${line}: ${stripVTControlCharacters(message).replaceAll(/\s+/g, ' ').slice(0, 500)}`;
    })
    .join(';');
