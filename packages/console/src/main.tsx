import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button, Select } from './parts/form.js';
import { lazy } from './parts/lazy.js';
import { NotFound } from './parts/page.js';
import { Loading, Problem } from './parts/states.js';
import { Audit } from './views/audit.js';
import { DeadLettersView } from './views/dead-letters.js';
import { EntityView } from './views/entity.js';
import { KeysView } from './views/keys.js';
import { Overview } from './views/overview.js';
import { PipelinesView, PipelineView } from './views/pipelines.js';
import { ProjectionsView, ProjectionView } from './views/projections.js';
import { SchemaView, SchemasView } from './views/schemas.js';
import { SubscriptionsView, SubscriptionView } from './views/subscriptions.js';
import { StreamView } from './views/stream.js';
import { StreamsView } from './views/streams.js';
import { Door, Mark } from './views/door.js';
import { useResource } from './app/resource.js';
import { hrefOf, place, startRouter } from './app/router.js';
import { apiKey, end, isOpen, loadSettings, settings } from './app/session.js';
import { forgetStatements } from './app/sql-statements.js';
import { startTheme, theme, type Theme } from './app/theme.js';
import './style.css';

const Sql = lazy(async () => (await import('./views/sql.js')).Sql);
const MapView = lazy(async () => (await import('./views/map.js')).MapView);

/** The views in the order of the navigation. */
const sections = [
  ['', 'Overview', Overview],
  ['map', 'Map', MapView],
  ['streams', 'Streams', StreamsView],
  ['projections', 'Projections', ProjectionsView],
  ['pipelines', 'Pipelines', PipelinesView],
  ['subscriptions', 'Subscriptions', SubscriptionsView],
  ['schemas', 'Schemas', SchemasView],
  ['dead-letters', 'Dead letters', DeadLettersView],
  ['keys', 'Keys', KeysView],
  ['audit', 'Audit', Audit],
  ['sql', 'SQL', Sql],
] as const;

/** Views that a view of the navigation leads to, by their addresses. */
const detailViews = new Map([
  ['entity', EntityView],
  ['schema', SchemaView],
]);

const themes = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

function App() {
  const loading = useResource(loadSettings, []);
  if (!settings.value)
    return (
      <main class="door">
        {loading.error === undefined ? (
          <Loading />
        ) : (
          <Problem error={loading.error} isRepeated={loading.isRepeated} />
        )}
      </main>
    );
  if (!isOpen.value) return <Door />;
  return <Shell />;
}

function Shell() {
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="side">
        <a class="brand" href={hrefOf([])}>
          <Mark />
          Tributary
        </a>
        <Navigation />
        <Footer />
      </header>
      <main id="content" tabIndex={-1} key={apiKey.value ?? ''}>
        <View />
      </main>
    </div>
  );
}

function Navigation() {
  const section = place.value.segments[0] ?? '';
  const current = section === 'entity' ? 'streams' : section === 'schema' ? 'schemas' : section;
  const shown = sections.filter(([name]) => name !== 'sql' || settings.value?.keys);
  const bar = useRef<HTMLElement>(null);
  // In a narrow window, the links scroll sideways.
  useEffect(() => {
    const link = bar.current!.querySelector<HTMLElement>('[aria-current]');
    if (link) bar.current!.scrollLeft = link.offsetLeft - (bar.current!.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return (
    <nav aria-label="Views" ref={bar}>
      <ul>
        {shown.map(([name, title]) => (
          <li key={name}>
            <a href={hrefOf(name === '' ? [] : [name])} aria-current={current === name ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Footer() {
  const { keys, writes, version } = settings.value!;
  return (
    <div class="foot">
      <div class="theme">
        <span class="muted small" aria-hidden="true">
          Theme
        </span>
        <Select
          name="Theme"
          isHidden
          value={theme.value}
          options={themes}
          onSelect={(name) => (theme.value = name as Theme)}
        />
      </div>
      {keys ? (
        <Button onClick={forgetKey}>Forget key</Button>
      ) : (
        <p class="muted small">{writes ? 'Core port' : 'Core port, read-only'}</p>
      )}
      <p class="muted small version">Version {version}</p>
    </div>
  );
}

function forgetKey() {
  forgetStatements();
  end();
}

function View() {
  const [section = '', name, ...rest] = place.value.segments;
  if (rest.length > 0) return <NotFound />;
  if (name !== undefined) {
    if (section === 'streams') return <StreamView stream={name} key={name} />;
    if (section === 'projections') return <ProjectionView name={name} key={name} />;
    if (section === 'pipelines') return <PipelineView name={name} key={name} />;
    if (section === 'subscriptions') return <SubscriptionView name={name} key={name} />;
    return <NotFound />;
  }
  const Found = sections.find(([one]) => one === section)?.[2] ?? detailViews.get(section) ?? NotFound;
  return <Found key={section} />;
}

startTheme();
startRouter();
render(<App />, document.getElementById('app')!);
