// Runs in a report that `check.py` has opened: what a browser sees of it, as JSON for the page around it.
(() => {
  const found = { errors: window.probeErrors, requests: [], overflow: [], points: 0, published: 0, bars: [], rows: [], wrong: [], series: {}, axe: [] };
  const check = () => {
    found.width = innerWidth;
    found.dark = matchMedia('(prefers-color-scheme: dark)').matches;
    found.paper = getComputedStyle(document.body).backgroundColor;
    found.requests = performance.getEntriesByType('resource').map(entry => entry.name);

    // The page itself never scrolls sideways; tables do, within their frames.
    if (document.documentElement.scrollWidth > innerWidth) {
      found.overflow = [...document.querySelectorAll('body *')]
        .filter(e => !e.closest('.scroll > *') && e.getBoundingClientRect().right > innerWidth + 1)
        .slice(0, 5).map(e => e.tagName + '.' + e.getAttribute('class'));
      found.overflow.unshift(document.documentElement.scrollWidth + ' px');
    }

    // Every point stands where the axes put the value that the JSON has.
    const data = JSON.parse(document.getElementById('data').textContent);
    const measurements = data.measurements ?? [];
    const value = path => path.split('/').reduce((at, key) => at[key], data);
    const at = (axis, v) => axis[2] + (Math.log10(v) - axis[0]) / (axis[1] - axis[0]) * (axis[3] - axis[2]);
    const wrong = (element, text) => found.wrong.push(element.closest('figure').querySelector('strong').textContent + ': ' + text);
    const number = path => Number(path.split('/')[1]);
    const place = (point, across, up, name) => {
      const chart = point.closest('svg'), mark = point.querySelector('.hit');
      const [x, y] = [chart.dataset.x, chart.dataset.y].map(text => text.split(' ').map(Number));
      const far = Math.hypot(mark.getAttribute('cx') - at(x, across), mark.getAttribute('cy') - at(y, up));
      if (!(far < 0.2)) wrong(point, name + ' is ' + far + ' away');
    };
    for (const point of document.querySelectorAll('.chart [data-source]')) {
      const path = point.dataset.source;
      const run = measurements[number(path)];
      let across = 2 ** run.log_size, up = value(path);
      if (path.endsWith('products/count')) {
        const time = point.closest('.hollow') || run.device_median_seconds === undefined ? run.median_seconds : run.device_median_seconds;
        across = up / run.bytes;
        up /= time;
      }
      place(point, across, up, path);
      found.points++;
      const field = path.split('/').slice(2).join('/');
      (found.series[field] ||= []).push(number(path));
    }

    // Every row has the median of its measurement, to the three digits that are printed; published times are in rows of their own.
    const factors = { T: 1e12, G: 1e9, M: 1e6, k: 1e3, '': 1, m: 1e-3, '\u00b5': 1e-6, n: 1e-9 };
    const seconds = text => {
      const parts = /^([0-9.]+)\u202f([TGMkm\u00b5n]?)s$/.exec(text);
      return parts ? parts[1] * factors[parts[2]] : NaN;
    };
    const isNear = (printed, exact) => Math.abs(printed / exact - 1) < 0.0051;
    const column = (table, names) => [...table.tHead.rows[0].cells].findIndex(cell => names.includes(cell.textContent));
    const cell = (row, ...names) => row.cells[column(row.closest('table'), names)]?.textContent;
    for (const row of document.querySelectorAll('tr[data-source]')) {
      const run = value(row.dataset.source), text = cell(row, 'Median', 'Whole');
      // The table of a roofline has products in the median time.
      const products = cell(row, 'Products a second')?.replace('/s', 's');
      const [printed, exact] = text === undefined ? [seconds(products), run.products.count / run.median_seconds] : [seconds(text), run.median_seconds];
      if (!isNear(printed, exact)) wrong(row, row.dataset.source + ' is ' + printed + ' in the table and ' + exact + ' in the data');
      if (text !== undefined) found.rows.push(number(row.dataset.source));
    }
    for (const point of document.querySelectorAll('[data-value]')) {
      const [size, time] = [point.dataset.size, point.dataset.value].map(Number);
      place(point, size, time, 'a published time of ' + time);
      const rows = [...point.closest('figure').querySelectorAll('tbody tr:not([data-source])')];
      if (!rows.some(row => isNear(seconds(cell(row, 'Median')), time))) wrong(point, 'no row has the published time ' + time);
      found.published++;
    }

    // The parts of each bar are those of its measurement, and as wide as their shares of it.
    for (const part of document.querySelectorAll('.bars [data-source]')) {
      const [, index, name] = part.dataset.source.split('/'), run = measurements[Number(index)], whole = run.median_seconds;
      const device = Math.min(run.device_median_seconds, whole);
      const transfers = Math.min(run.transfer_seconds ?? 0, whole - device);
      const parts = { device, transfers, rest: whole - device - transfers };
      const close = (a, b, most) => Math.abs(a - b) <= most;
      if (!close(part.dataset.seconds, parts[name], 1e-9 * whole)) wrong(part, part.dataset.source + ' is ' + parts[name] + ', found ' + part.dataset.seconds);
      const rect = part.querySelector('rect'), of = part.closest('svg').viewBox.baseVal.width / whole;
      const before = { device: 0, transfers: device, rest: device + transfers }[name];
      if (!close(rect.getAttribute('x'), before * of, 0.01) || !close(rect.getAttribute('width'), Math.max(parts[name] * of - 1, 0), 0.01))
        wrong(part, part.dataset.source + ' is drawn from ' + rect.getAttribute('x') + ', ' + rect.getAttribute('width') + ' wide');
      found.bars.push(Number(index));
    }
    // The times and rates in the data, for comparison with those that are drawn.
    found.measurements = measurements.length;
    // Those of the self-test, whose page has tables alone.
    found.cases = (data.cases ?? []).length;
    const which = keep => measurements.map((run, i) => keep(run) ? i : -1).filter(i => i >= 0);
    const isBest = run => run.approach === undefined || run.approach === 'auto';
    found.best = which(isBest);
    // The greatest sizes, which is what bars and rooflines have, of what consists of products and of what the device tells the time.
    const line = run => JSON.stringify([run.device, run.operation, run.hash, run.curve, run.field, run.scalars, run.columns, run.blowup]);
    const greatest = which(run => isBest(run)
      && !measurements.some(other => isBest(other) && line(other) === line(run) && other.log_size > run.log_size));
    // Several devices as one have no roofline.
    const isOne = run => data.devices.find(device => device.id === run.device).work.length < 2;
    found.multiply = greatest.filter(i => measurements[i].products?.count > 0 && isOne(measurements[i]));
    found.timed = greatest.filter(i => measurements[i].device_median_seconds !== undefined);
    found.tableRows = document.querySelectorAll('tbody tr').length;
    found.figures = [...document.querySelectorAll('figure')].map(figure => ({
      id: figure.id,
      whole: !!figure.querySelector('figcaption strong') && !!figure.querySelector('details table tbody tr')
        && [...figure.querySelectorAll('.panels svg')].every(svg => svg.querySelector('title') && svg.querySelector('desc').textContent.length > 20),
    }));
  };
  const done = () => {
    parent.postMessage(JSON.stringify(found), '*');
  };
  addEventListener('load', async () => {
    try {
      check();
      document.querySelectorAll('details').forEach(d => { d.open = true; });
      const { violations } = await axe.run(document);
      found.axe = violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | '));
      found.axeRan = true;
    } catch (error) {
      found.errors.push(String(error.stack || error));
    }
    done();
  });
})();
