// Runs in a report that `check.py` has opened: what a browser sees of it, as JSON for the page around it.
(() => {
  const found = { errors: window.probeErrors, requests: [], overflow: [], points: 0, wrong: [], series: {}, axe: [] };
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
    for (const point of document.querySelectorAll('[data-source]')) {
      const chart = point.closest('svg'), path = point.dataset.source;
      const [x, y] = [chart.dataset.x, chart.dataset.y].map(text => text.split(' ').map(Number));
      const run = measurements[Number(path.split('/')[1])];
      let across = 2 ** run.log_size, up = value(path);
      if (path.endsWith('products/count')) {
        const time = point.closest('.hollow') || run.device_median_seconds === undefined ? run.median_seconds : run.device_median_seconds;
        across = up / run.bytes;
        up /= time;
      }
      const mark = point.querySelector('.hit');
      const far = Math.hypot(mark.getAttribute('cx') - at(x, across), mark.getAttribute('cy') - at(y, up));
      found.points++;
      if (!(far < 0.2)) found.wrong.push(chart.querySelector('title').textContent + ': ' + path + ' is ' + far + ' away');
      const field = path.split('/').slice(2).join('/');
      (found.series[field] ||= []).push(Number(path.split('/')[1]));
    }
    // The times and rates in the data, for comparison with those that are drawn.
    found.measurements = measurements.length;
    // Those of the self-test, whose page has tables alone.
    found.cases = (data.cases ?? []).length;
    const which = keep => measurements.map((run, i) => keep(run) ? i : -1).filter(i => i >= 0);
    const isBest = run => run.approach === undefined || run.approach === 'auto';
    found.best = which(isBest);
    // The greatest sizes of what consists of products, which is what rooflines have.
    const line = run => JSON.stringify([run.device, run.operation, run.hash, run.scalars, run.columns, run.blowup]);
    found.multiply = which(run => run.products && run.products.count > 0 && isBest(run)
      && !measurements.some(other => isBest(other) && line(other) === line(run) && other.log_size > run.log_size));
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
