import type { Reporter } from 'vitest/node';

/** Names each test that passed only when it was repeated, because the default reporter omits fast tests. */
export const repeatedTests: Reporter = {
  onTestCaseResult(test) {
    const retries = test.diagnostic()?.retryCount ?? 0;
    if (retries > 0 && test.ok())
      console.log(`${test.module.relativeModuleId} > ${test.fullName} (retry x${retries})`);
  },
};
