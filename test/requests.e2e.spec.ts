// Requests to one system, one spec after the other: starting a system for each would take longer than most of them.
// These expect the sixty events and no others, so they are first.
import './requests/query.js';
import './requests/pages.js';
import './requests/count.js';
import './requests/dead-letters.js';
import './requests/auth.js';
import './requests/intake.js';
import './requests/audit.js';
import './requests/bad-fields.js';
import './requests/bad-body.js';
import './requests/injection.js';
import './requests/cloudevents.js';
import './requests/odd-requests.js';
