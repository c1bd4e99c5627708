//! Changes of JSON values that keep them JSON.

use serde_json::{Number, Value};

use crate::draw::Draw;

/// A text that must never be found in a page as it stands.
pub const MARK: &str = "<zkfuzz a=\"b\" c='d'>&";

/// Changes up to four places of a value.
pub fn mutate(draw: &mut Draw<'_>, value: &mut Value) {
    for _ in 0..1 + draw.below(4) {
        change(draw, value);
    }
}

/// Goes down to some place and changes it.
fn change(draw: &mut Draw<'_>, value: &mut Value) {
    let stop = draw.below(8) == 7;
    match value {
        Value::Array(items) if !items.is_empty() && !stop => {
            let i = draw.below(items.len());
            change(draw, &mut items[i]);
        }
        Value::Array(items) if !items.is_empty() => {
            let (i, j) = (draw.below(items.len()), draw.below(items.len()));
            match draw.below(4) {
                0 => drop(items.remove(i)),
                1 => items.insert(j, items[i].clone()),
                2 => items.swap(i, j),
                _ => items.clear(),
            }
        }
        Value::Object(fields) if !fields.is_empty() && !stop => {
            let i = draw.below(fields.len());
            change(draw, fields.values_mut().nth(i).expect("so many fields"));
        }
        Value::Object(fields) if !fields.is_empty() => {
            let key = fields.keys().nth(draw.below(fields.len())).expect("so many fields").clone();
            let removed = fields.remove(&key);
            if draw.flag() {
                fields.insert(format!("{key}s"), removed.unwrap_or_default());
            }
        }
        leaf => *leaf = new_leaf(draw, leaf),
    }
}

fn new_leaf(draw: &mut Draw<'_>, before: &Value) -> Value {
    match (draw.below(8), before) {
        (0, _) => Value::Null,
        (1, _) => Value::Bool(draw.flag()),
        (2, _) => draw.word().into(),
        (3, _) => {
            let numbers = [0.0, -0.0, 1e-320, 1e-300, 1e300, f64::MAX, -1.0, 0.1, 1e9, 1e18];
            Number::from_f64(draw.pick(&numbers)).map_or(Value::Null, Value::Number)
        }
        (4, _) => MARK.into(),
        (5, _) => draw.word().to_string().into(),
        (_, Value::String(text)) => {
            let mut bytes = text.clone().into_bytes();
            draw.mutate(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned().into()
        }
        (_, Value::Number(number)) => match number.as_u64() {
            Some(number) => (draw.near(number as usize) as u64).into(),
            None => Number::from_f64(number.as_f64().unwrap_or(0.0) * 1e3).map_or(Value::Null, Value::Number),
        },
        _ => Value::Array(Vec::new()),
    }
}
