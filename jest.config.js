// ESM tests in TypeScript: ts-jest transpiles file by file; `npm run check:types` is what checks the types.
export default {
  // Both cores of a small machine: by default one stays idle, and all files share one process.
  maxWorkers: '100%',
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['ts-jest', { useESM: true, diagnostics: false, tsconfig: 'tsconfig.json' }],
  },
  setupFiles: ['<rootDir>/test/support/fail-on-unhandled.ts'],
  // Only what never ends is to end by this: a busy machine takes its time, and no test is about how long that is.
  testTimeout: 180_000,
};
