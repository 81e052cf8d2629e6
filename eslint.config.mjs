import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      ...['dist', 'packages/*/dist', 'packages/client/src/generated', 'node_modules'],
      ...['.tributary*', '.engines', '.tools', 'helm'],
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    ignores: ['packages/console/vite.config.ts', 'packages/console/src/{app,views,parts}/**'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      'max-params': ['error', 3],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/require-await': 'off',
      // A feature adds its problems to `ProblemCatalogue` with an interface that has nothing else.
      '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-console': 'error',
    },
  },
  {
    // The views have a compiler configuration of their own: JSX, and the types of a browser.
    files: ['packages/console/src/**/*.tsx', 'packages/console/src/{app,views,parts}/**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: './packages/console/tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'max-params': ['error', 3],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      'no-console': 'error',
    },
  },
  {
    files: ['packages/console/vite.config.ts'],
    languageOptions: { parser: tseslint.parser, globals: { URL: 'readonly' } },
  },
  {
    // Nest reads constructor parameter types at run time: a type-only import would erase them.
    files: ['apps/**/*.ts', 'libs/core/{*-kit,app,http,writing}/**/*.ts', 'libs/features/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    // A handler and a constructor of Nest name what they are given, here as in the gateway.
    files: ['libs/core/writing/**/*{.controller,-service}.ts'],
    rules: { 'max-params': 'off' },
  },
  {
    // A handler, a constructor and a factory of Nest name what they are given: no call lists it by position.
    files: ['apps/**/*.ts', 'libs/features/**/*.ts', 'libs/core/*-kit/**/*.ts', 'libs/**/*.module.ts'],
    rules: {
      'max-params': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':function[params.length>3]:not(MethodDefinition[kind="constructor"] > FunctionExpression):not([params.0.decorators.length>0]):not(Property[key.name="useFactory"] > :function)',
          message: 'More than 3 parameters: take an object.',
        },
      ],
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        module: 'writable',
        Buffer: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
      },
    },
    rules: { 'no-console': 'off' },
  },
  {
    files: ['local/**', 'demo/**', 'bench/**', 'test/**', 'deploy/**', 'examples/**'],
    rules: { 'no-console': 'off' },
  },
);
