// Lint rules: type-aware, so that a forgotten promise or an impossible condition is an error.
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'home/', 'coverage/', '.bench/', '.crash/'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-explicit-any': 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['src/**', 'plugins/**'],
    ignores: ['src/config.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/config.ts reads the environment.' },
        { object: 'URL', property: 'canParse', message: 'Wrong on Node 20 for names beyond ASCII: use parseUrl.' },
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: ['process', 'node:process'].map((name) => ({
            name,
            importNames: ['env', 'default'],
            message: 'Only src/config.ts reads the environment.',
          })),
        },
      ],
    },
  },
  { files: ['src/**', 'plugins/**'], rules: { 'max-lines': ['error', { max: 300, skipBlankLines: false }] } },
  {
    files: ['test/**'],
    ignores: ['test/bench/**', 'test/crash/**', 'test/flood/**', 'test/fuzz/**', 'test/race/**', 'test/acp-agent/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: ['timers/promises', 'node:timers/promises'].map((name) => ({
            name,
            importNames: ['setTimeout'],
            message: 'Tests wait for events or advance a fake clock; they never sleep.',
          })),
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'plugins/**/*.ts'],
    ignores: ['src/cli/**'],
    rules: { 'no-restricted-globals': ['error', { name: 'fetch', message: 'Use core.net: it checks addresses.' }] },
  },
  {
    files: [
      'src/cli/**',
      'test/bench/**',
      'test/crash/**',
      'test/flood/**',
      'test/fuzz/**',
      'test/race/**',
      'test/acp-agent/**',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.js', '**/*.cjs'],
    languageOptions: { globals: { module: 'writable', process: 'readonly', URL: 'readonly', console: 'readonly' } },
  },
);
