import { render } from 'preact';
import { App } from './app/app.js';
import { startRouter } from './app/router.js';
import { startTheme } from './app/theme.js';
import './style.css';

startTheme();
startRouter();
render(<App />, document.getElementById('app')!);
